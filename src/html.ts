// Handlers of HTMLRewriter that fill in a value, or remove the element if there is none.

/** An element that ends with a text, which is escaped. */
export function endingWith(text: string | undefined) {
  return {
    element(element: Element) {
      if (text) element.append(text)
      else element.remove()
    },
  }
}

/** A link to an address. */
export function leadingTo(url: string | undefined) {
  return {
    element(link: Element) {
      // the rewriter escapes no more than quotation marks
      if (url) link.setAttribute('href', url.replaceAll('&', '&amp;'))
      else link.remove()
    },
  }
}
