// The pages that messages refer to.
export const DEPLOY_GUIDE = 'docs/deploying.md'
export const SETTINGS_GUIDE = 'docs/settings.md'
export const RESTORE_GUIDE = 'docs/backup.md'
