declare namespace Cloudflare {
  interface Env {
    MIGRATIONS: import('@cloudflare/vitest-plugin').D1Migration[]
    DEMO_PASSWORD_HASH: string
  }
}

declare module '*?raw' {
  const text: string
  export default text
}
