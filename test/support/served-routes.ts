import { administrationApp } from '#apps/administration.ts'
import { publicApp } from '#apps/public.ts'
import { userApp } from '#apps/user.ts'

const all = [publicApp, userApp, administrationApp].flatMap(({ routes }) => routes)

/** The routes of all apps, without middleware: `GET /v1/informers/:informer`. */
export const servedRoutes = [
  ...new Set(
    all
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`),
  ),
]
