import type { Caller } from '../domain/caller.js'
import type { Input } from '../domain/input.js'
import type { WithInputs } from '../history/subject.js'
import type { Answer } from './answer.js'
import type { FoundOperations } from './find-operations.js'
import type { FollowedEvent, FollowOptions } from './follow-operation.js'

/** What a row of the action table shows. */
export interface CalledAction extends WithInputs {
  readonly name: string
}

/**
 * Actions that are performed by processes of their own, which outlive the server: what was asked, what happens and what
 * came of it are files, so that any process may look, at any time.
 */
export interface Runs extends Pick<FoundOperations, 'list' | 'find'> {
  /**
   * Has a worker perform the action, now or when another one has ended (APPS_WORKERS). The input was checked.
   *
   * @returns its id, once what is asked is on the disk
   */
  begin(action: CalledAction, input: Readonly<Record<string, Input>>, caller: Caller): Promise<string>
  /** Its answer when it has ended; undefined: it is gone, or the signal ended the waiting. */
  answer(id: string, signal: AbortSignal): Promise<Answer | undefined>
  /** Nothing when there is no such operation. */
  follow(id: string, options: FollowOptions): AsyncGenerator<FollowedEvent>
  /** @throws ManagerError ERR_NOT_FOUND; ERR_STATE when it has ended, or no worker performs it */
  cancel(id: string, by: string): Promise<{ readonly title: string }>
  /**
   * Continues what an earlier server left waiting, has a worker recover what dead owners left, and removes what is
   * old, again and again until it is closed. Workers continue then.
   */
  serve(): { close(): void }
}
