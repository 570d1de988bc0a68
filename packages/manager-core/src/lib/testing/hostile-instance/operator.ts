import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ManagerError } from '../../../errors.js'
import { silence } from '../../accounts/silence.js'
import { portableSilence } from '../../databases/portable-dump.js'
import { patience } from '../../databases/sqlite-by-workers.js'
import type { Caller } from '../../domain/caller.js'
import { fullGrant } from '../../domain/grant.js'
import type { Input } from '../../domain/input.js'
import { createManager } from '../../manager.js'
import { anotherRuntime } from './another-runtime.js'

/** One call of the manager. */
export interface Call {
  readonly action: string
  readonly input?: Readonly<Record<string, Input>>
  /** File for what it sends. */
  readonly file?: string
}

/** Input of the program, as JSON in its one argument. */
export interface OperatorOptions {
  readonly home: string
  readonly applicationServer: string
  readonly defaultTemplate: string
}

/** What it answers. */
export type Outcome =
  | { readonly answer: unknown; readonly code?: never }
  | { readonly code: string; readonly answer: unknown }

// What hangs ends soon.
silence.limitMs = patience.answerMs = patience.countMs = portableSilence.limitMs = 6000

// A manager in a process of its own: it may hang or die.
const [, , options] = process.argv
const manager = createManager({
  ...(JSON.parse(options ?? '') as OperatorOptions),
  runtimes: { another: anotherRuntime },
})
const caller: Caller = { actor: 'operator', surface: 'cli', grant: fullGrant }

process.on('message', ({ action, input = {}, file }: Call) => {
  void perform(action, input, file).then((outcome) => process.send?.(outcome))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function perform(action: string, input: Readonly<Record<string, Input>>, file?: string): Promise<Outcome> {
  try {
    const { file: sent, stream, program: _, ...answer } = await manager.perform(action, input, caller)
    if (sent && file !== undefined) await pipeline(Readable.from(sent.content()), createWriteStream(file))
    const lines: string[] = []
    if (stream) for await (const line of stream) lines.push(line)
    return { answer: { ...answer, lines } }
  } catch (error) {
    const { message } = error as Error
    return ManagerError.is(error)
      ? { code: error.code, answer: [message, error.help, error.output] }
      : { code: 'ERR_UNKNOWN', answer: [message] }
  }
}
