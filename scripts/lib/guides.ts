/** The section of a document that says how to do something. */
const guide = (file: string, heading: string) => `docs/${file}, "${heading}"`

/** For messages that cannot say all of it. */
export const DEPLOY_GUIDE = guide('operating.md', 'Deploying to Cloudflare')
export const RESTORE_GUIDE = guide('operating.md', 'Backup and restore')
