import type { Surroundings } from '../surroundings.js'
import { createPlainProgress, type Progress } from './plain.js'

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
  // What another command left is reported even when the output is for a program.
  if (json) return { ...plain, show: (event) => void (event.type === 'recovering' && plain.show(event)) }
  if (!drawn) return plain
  const { createListProgress } = await import('./list.js')
  return createListProgress(stderr, plain)
}
