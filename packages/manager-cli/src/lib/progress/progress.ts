import type { OperationEvent } from '@steward/manager-core'
import type { Surroundings } from '../surroundings.js'
import { createPlainProgress } from './plain.js'

/** Shows on the standard error how operations go. */
export interface Progress {
  show(event: OperationEvent): void
  /** The last operation is over, well or not; what follows is printed below it. */
  end(ok: boolean): Promise<void>
}

export interface ProgressOptions {
  readonly stderr: Surroundings['stderr']
  readonly json: boolean
  readonly quiet: boolean
  /** As a list that is drawn again and again: a terminal with colours. */
  readonly drawn: boolean
}

export async function createProgress(options: ProgressOptions): Promise<Progress> {
  const { stderr, json, quiet, drawn } = options
  if (quiet) return { show() {}, async end() {} }
  const plain = createPlainProgress((line) => void stderr.write(`${line}\n`))
  // What another command left is told even when the output is for a program.
  if (json) return { ...plain, show: (event) => void (event.type === 'recovering' && plain.show(event)) }
  if (!drawn) return plain
  const { createListProgress } = await import('./list.js')
  return createListProgress(stderr, plain)
}
