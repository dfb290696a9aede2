import type { PublicList } from '../http/public-list.ts'
import { publicChangelogs } from './changelogs/schemas.ts'
import { publicCategories } from './reference-lists/categories.ts'
import { publicDioceses } from './reference-lists/dioceses.ts'
import { publicTreatmentPronouns } from './reference-lists/treatment-pronouns.ts'

/** The lists that everybody may read. */
export const publicLists: PublicList[] = [
  publicCategories,
  publicDioceses,
  publicTreatmentPronouns,
  publicChangelogs,
]
