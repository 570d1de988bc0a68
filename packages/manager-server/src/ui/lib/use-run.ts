import { useState } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { parametersOf, type FieldValues } from './action-input.js'
import type { Answer } from './answer.js'
import { api, type ApiFailure } from './api.js'
import { hasEnded, type OperationAnswer, type ResultBody } from './operation.js'
import { useOperation, type FollowedOperation } from './use-operation.js'

export type AnswerOfAction = Answer & ResultBody & Readonly<Record<string, unknown>>

/** An action from its call to its end. */
export interface Run {
  readonly state: 'idle' | 'asking' | 'following' | 'answered' | 'failed'
  /** Progress of the operation of `following`. */
  readonly followed: FollowedOperation
  readonly operation: string | undefined
  /** Answer of an action that is not an operation. */
  readonly answer: AnswerOfAction | undefined
  /** It was refused, or the result is unknown. */
  readonly failure: ApiFailure | undefined
  /** Nothing more will come. */
  readonly isOver: boolean
  readonly hasFailed: boolean
  /** All that was answered in the end. */
  readonly result: OperationAnswer | AnswerOfAction | undefined
  readonly start: (values: FieldValues) => void
  readonly reset: () => void
}

interface Stage extends Pick<Run, 'state'>, Partial<Pick<Run, 'operation' | 'answer' | 'failure'>> {}

/** Calls an action. One that changes something runs by itself and is followed; others answer when they are done. */
export function useRun(action: WireAction): Run {
  const [stage, setStage] = useState<Stage>({ state: 'idle' })
  const followed = useOperation(stage.operation)
  const { operation } = followed
  const hasEndedThere = followed.failure !== undefined || (operation !== undefined && hasEnded(operation))
  const isOver =
    stage.state === 'answered' || stage.state === 'failed' || (stage.state === 'following' && hasEndedThere)
  return {
    operation: undefined,
    answer: undefined,
    failure: undefined,
    ...stage,
    followed,
    isOver,
    hasFailed: isOver && stage.state !== 'answered' && operation?.state !== 'succeeded',
    result: stage.answer ?? operation?.result,
    reset: () => setStage({ state: 'idle' }),
    start(values) {
      setStage({ state: 'asking' })
      begin(action, values).then(
        (answer) =>
          setStage(
            goesOn(action) && answer.operation !== undefined
              ? { state: 'following', operation: answer.operation }
              : { state: 'answered', answer },
          ),
        (failure: ApiFailure) => setStage({ state: 'failed', failure }),
      )
    },
  }
}

/** @throws ApiFailure */
export function begin(action: WireAction, values: FieldValues): Promise<AnswerOfAction> {
  const { plain, hidden } = parametersOf(action, values)
  return api(action.name, { ...plain, ...(goesOn(action) && { async: true }) }, { hidden })
}

/** What changes something or takes long is done by a process of its own, which continues whether the page is open or not. */
export function goesOn({ mutating, ability }: Pick<WireAction, 'mutating' | 'ability'>): boolean {
  return mutating || ability === 'operate' || ability === 'admin'
}
