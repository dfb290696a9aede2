/** Where Debian puts it; `.ci/run` installs it where it may. */
export const CHROMIUM = '/usr/bin/chromium'
