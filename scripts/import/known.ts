import { fold } from '../../src/domain/folding.ts'
import type { Person } from '../provisioning/document.ts'
import { identifierFinder, isSomebodyElse } from '../provisioning/identity.ts'
import type { State, User } from '../provisioning/state.ts'

/**
 * Finds the informer that a row means: by email or CPF; or by name one who has neither.
 *
 * @returns a function that gives the informer, if one is known, or what is wrong
 */
export function informerFinder({ informers, administrators }: Pick<State, 'informers' | 'administrators'>) {
  const find = identifierFinder([...informers, ...administrators])
  const nameless = informers.filter(({ email, cpf }) => !email && !cpf)
  const byName = Map.groupBy(nameless, ({ full_name }) => fold(full_name))

  return (person: Person): { known?: User; problem?: string } => {
    const [known, ...others] = find(person)
    if (others.length > 0) return { problem: 'o e-mail e o CPF estão cadastrados para pessoas diferentes' }
    if (known && administrators.includes(known)) return { problem: 'já é administrador' }
    if (known && isSomebodyElse(person, known))
      return { problem: 'está cadastrado com outro nome e outro e-mail ou CPF: corrija um de cada vez' }
    if (known) return { known }
    const [sameName, ...more] = byName.get(fold([person.first_name, person.last_name].filter(Boolean).join(' '))) ?? []
    if (more.length > 0) return { problem: 'há várias pessoas com este nome, sem e-mail nem CPF' }
    return sameName ? { known: sameName } : {}
  }
}
