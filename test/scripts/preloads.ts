// Scripts that run before those of a page.

/** What pages might use, and a browser of 2019 or 2020 lacks. */
const YOUNGER = {
  AbortSignal: 'any timeout',
  'Array.prototype': 'at findLast toReversed toSorted toSpliced with',
  'Crypto.prototype': 'randomUUID',
  'Element.prototype': 'checkVisibility replaceChildren role',
  'HTMLDialogElement.prototype': 'show showModal',
  'HTMLElement.prototype': 'inert popover showPopover',
  'HTMLFormElement.prototype': 'requestSubmit',
  'Iterator.prototype': 'filter find forEach map some toArray',
  Object: 'groupBy hasOwn',
  Promise: 'any try withResolvers',
  'String.prototype': 'at isWellFormed replaceAll toWellFormed',
  'SubmitEvent.prototype': 'submitter',
  URL: 'canParse parse',
  window: 'Iterator WeakRef navigation reportError structuredClone',
}

/** Takes it away from the page, and the properties of ARIA with it. */
export const TAKE_YOUNGER_AWAY = `
  for (const [owner, names] of Object.entries(${JSON.stringify(YOUNGER)}))
    for (const name of names.split(' '))
      delete eval(owner)[name]
  for (const name of Object.getOwnPropertyNames(Element.prototype))
    if (name.startsWith('aria'))
      delete Element.prototype[name];`

const TEXTS =
  '//body//text()[normalize-space() and not(ancestor::font or ancestor::script)]'

/** Puts every text into elements of its own as soon as it is there, as Chrome translates. */
export const TRANSLATE = `
  const translate = () => {
    const type = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE
    const texts = document.evaluate('${TEXTS}', document, null, type)
    for (let index = 0; index < texts.snapshotLength; index += 1) {
      const text = texts.snapshotItem(index)
      const font = document.createElement('font')
      font.appendChild(document.createElement('font')).textContent = text.data
      text.replaceWith(font)
    }
  }
  new MutationObserver(translate).observe(document, { childList: true, subtree: true });`
