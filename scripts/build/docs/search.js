// The search of the documentation page, a plugin of Swagger UI. The viewer's own knows no summaries,
// and leaves what it finds closed.

const LABEL = 'Procurar por método, caminho ou resumo'

export const search = ({ React }) => ({
  fn: {
    opsFilter: (tags, phrase) => {
      const words = fold(phrase).split(/\s+/)
      return tags
        .map((tag, name) => {
          const isFound = (operation) => hasWords(words, name, operation)
          return tag.update('operations', (operations) => operations.filter(isFound))
        })
        .filter((tag) => tag.get('operations').size > 0)
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        /** A tag is open while something is searched. */
        isShown: (isShown, system) => (_, thing, byDefault) =>
          (thing[0] === 'operations-tag' && phraseOf(system).trim() !== '') ||
          isShown(thing, byDefault),
      },
    },
  },
  wrapComponents: {
    FilterContainer: (_, system) => () => {
      const value = phraseOf(system)
      const onChange = ({ target }) => system.layoutActions.updateFilter(target.value)
      const names = { 'aria-label': LABEL, placeholder: LABEL }
      const input = React.createElement('input', {
        type: 'search',
        value,
        onChange,
        ...names,
      })
      const found = value.trim() && describeCount(countOperations(system))
      const status = React.createElement('p', { role: 'status' }, found)
      return React.createElement('search', { className: 'wrapper' }, input, status)
    },
    /** Without operations the viewer would say that the document has none. */
    operations: (Operations, system) => (props) =>
      countOperations(system) > 0 && React.createElement(Operations, props),
  },
})

const phraseOf = ({ layoutSelectors }) => layoutSelectors.currentFilter() || ''

/** Without case and accents. */
const fold = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()

/** Whether an operation has every word in its tag, method, path or summary. */
function hasWords(words, tag, operation) {
  const summary = operation.getIn(['operation', 'summary'])
  const parts = [tag, operation.get('method'), operation.get('path'), summary]
  const text = fold(parts.join(' '))
  return words.every((word) => text.includes(word))
}

/** The number of operations that are listed. */
const countOperations = ({ specSelectors }) =>
  specSelectors
    .taggedOperations()
    .reduce((sum, tag) => sum + tag.get('operations').size, 0)

function describeCount(count) {
  if (count === 0) return 'Nenhuma operação encontrada.'
  return count === 1 ? '1 operação' : `${count} operações`
}
