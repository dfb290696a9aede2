/**
 * Returns a pattern with properties of Unicode, compiled with its first use. V8 looks all characters
 * of a property up where it parses a literal, which is at every start of an isolate.
 * @param source as `RegExp` takes it, from `String.raw`
 */
export function unicodePattern(source: string, flags = 'u'): () => RegExp {
  let pattern: RegExp | undefined
  return () => (pattern ??= new RegExp(source, flags))
}
