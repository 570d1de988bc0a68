import type { AnswerDescription } from './description.js'
import { reference } from './description.js'
import { answer, errors, jsonContent, pageLinks } from './answers.js'
import { documentationContents, indexAnswer } from './object-operations.js'
import type { ServiceOperation } from './service-interface.js'

interface ServiceContents {
  readonly id: string
  readonly summary: string
  readonly text?: string
  readonly answers: readonly AnswerDescription[]
}

const task = answer('The task.', jsonContent(reference('rest.Task')))

/** Operations that belong to no object. */
export const serviceOperations: Readonly<Partial<Record<ServiceOperation, ServiceContents>>> = {
  info: {
    id: 'info',
    summary: 'Get the application, the user and the session',
    answers: [
      answer(
        'Application, user and session; with `session=true` the session only.',
        jsonContent({ anyOf: [reference('rest.Info'), reference('rest.Session')] }),
      ),
      ...errors(),
    ],
  },
  documentation: { id: 'documentation', ...documentationContents },
  indexSearch: {
    id: 'index-search',
    summary: 'Find records of all indexed objects by words',
    text: 'Best first; without pages 1,000 at most. It takes no filters.',
    answers: [answer('The records found.', jsonContent(indexAnswer({ type: 'object' })), [pageLinks]), ...errors()],
  },
  task: {
    id: 'task',
    summary: 'Get the status of a background action',
    answers: [task, ...errors(404)],
  },
  cancelTask: {
    id: 'cancel-task',
    summary: 'Cancel a background action',
    answers: [task, ...errors(404)],
  },
}
