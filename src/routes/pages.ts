import { Hono } from 'hono/quick'
import verification from '../../.wrangler/pages/confirmar-email.html.gz.bin'
import inlineSources from '../../.wrangler/pages/inline-sources.bin'
import passwordReset from '../../.wrangler/pages/redefinir-senha.html.gz.bin'
import type { AppEnv } from '../http/app-env.ts'
import { gunzipped } from '../http/gunzipped.ts'

/** Only the page's own style and script, by their hashes, and calls of this service. */
const POLICY =
  `default-src 'none'; ${new TextDecoder().decode(inlineSources)}; connect-src 'self'; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HEADERS = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY }

/** The pages of emailed links (src/pages). Their script takes the token from the fragment, which never gets here. */
export const pages = new Hono<AppEnv>()
  .get('/confirmar-email', (c) => gunzipped(c, verification, HEADERS))
  .get('/redefinir-senha', (c) => gunzipped(c, passwordReset, HEADERS))
