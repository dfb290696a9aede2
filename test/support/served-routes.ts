import app from '#index.ts'

/** All routes, without middleware: `GET /v1/informers/:informer`. */
export const servedRoutes = [
  ...new Set(
    app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`),
  ),
]
