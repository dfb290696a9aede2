/** The part of the parser that is used here; the package has no types. */
declare module 'saxen' {
  type Decode = (text: string) => string

  export class Parser {
    on(
      event: 'openTag',
      handle: (
        name: string,
        attributes: () => Record<string, string>,
        decode: Decode,
      ) => void,
    ): this
    on(event: 'text', handle: (text: string, decode: Decode) => void): this
    on(event: 'cdata', handle: (text: string) => void): this
    on(event: 'closeTag', handle: (name: string) => void): this
    /** Takes the next piece of a document. @throws if it is not well-formed */
    write(piece: string): this
    /** Ends a document. @throws if it is not complete */
    end(): void
  }
}
