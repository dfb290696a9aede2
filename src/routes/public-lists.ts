import type { PublicList } from '../http/public-list.ts'
import { publicChangelogs } from './changelogs/schemas.ts'
import {
  publicCategories,
  publicDioceses,
  publicTreatmentPronouns,
} from './reference-lists/schemas.ts'

/** The lists that everybody may read. */
export const publicLists: PublicList[] = [
  publicCategories,
  publicDioceses,
  publicTreatmentPronouns,
  publicChangelogs,
]
