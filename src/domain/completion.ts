export const QUESTIONNAIRE_STATUSES = ['Pendente', 'Em andamento', 'Concluído'] as const

export type QuestionnaireStatus = (typeof QUESTIONNAIRE_STATUSES)[number]

/** The questionnaire status of a group, from its questionnaires and those that the informer has completed. */
export function questionnaireStatus(counts: { questionnaires: number; completed: number }): {
  is_concluded: boolean
  questionnaire_status: QuestionnaireStatus
} {
  if (counts.completed === 0) return { is_concluded: false, questionnaire_status: 'Pendente' }
  if (counts.completed < counts.questionnaires)
    return { is_concluded: false, questionnaire_status: 'Em andamento' }
  return { is_concluded: true, questionnaire_status: 'Concluído' }
}
