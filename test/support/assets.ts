/** Builds what the Worker imports as data. */
export default async () => {
  await import('../../scripts/build/changed-assets.ts')
}
