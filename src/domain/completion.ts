export const QUESTIONNAIRE_STATUSES = ['Pendente', 'Em andamento', 'Concluído'] as const

export type QuestionnaireStatus = (typeof QUESTIONNAIRE_STATUSES)[number]

/** The completion of a pair. */
export type Completion = {
  is_concluded: boolean
  questionnaire_status: QuestionnaireStatus
}

/**
 * Returns the completion of a pair, from the questionnaires of its group and when each was
 * completed.
 */
export function completionOf(
  questionnaires: { completed_at: string | null }[],
): Completion {
  const completed = questionnaires.filter(
    ({ completed_at }) => completed_at !== null,
  ).length

  if (completed === 0) return { is_concluded: false, questionnaire_status: 'Pendente' }
  if (completed < questionnaires.length) {
    return { is_concluded: false, questionnaire_status: 'Em andamento' }
  }
  return { is_concluded: true, questionnaire_status: 'Concluído' }
}
