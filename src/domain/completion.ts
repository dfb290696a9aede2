export type QuestionnaireStatus = 'Pendente' | 'Em andamento' | 'Concluído'

/** What the questionnaires of a group and those that an informer has completed mean for the cover. */
export function completion(counts: { questionnaires: number; completed: number }): {
  is_concluded: boolean
  questionnaire_status: QuestionnaireStatus
} {
  if (counts.completed === 0) return { is_concluded: false, questionnaire_status: 'Pendente' }
  if (counts.completed < counts.questionnaires)
    return { is_concluded: false, questionnaire_status: 'Em andamento' }
  return { is_concluded: true, questionnaire_status: 'Concluído' }
}
