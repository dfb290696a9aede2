/** The bytes of a file that the build has gzipped. */
export const gunzip = (gzipped: ArrayBuffer): ReadableStream =>
  new Blob([gzipped]).stream().pipeThrough(new DecompressionStream('gzip'))
