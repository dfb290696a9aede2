import { defineConfig } from 'drizzle-kit'

// `npm run migrations:generate` compares the schema with the last migration; it needs no credentials.
export default defineConfig({
  dialect: 'sqlite',
  driver: 'd1-http',
  schema: './src/database/schema',
  out: './migrations',
})
