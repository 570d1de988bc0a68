import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { main, type MainOptions } from '../main.js'

export interface RunOptions extends Pick<MainOptions, 'cwd' | 'env' | 'createManager'> {
  /** All streams are a terminal of this width. */
  readonly columns?: number
  /** What the standard input holds when it is not a terminal. Default: nothing. */
  readonly input?: string
  /** What is typed: each text when the output so far contains the one before it, if one is said. */
  readonly typed?: readonly { readonly after: string; readonly text: string }[]
  /** Signals that arrive when the output contains a text. */
  readonly signals?: readonly { readonly after: string; readonly signal: NodeJS.Signals }[]
  /** The reader of the standard output goes away when it has read this much. */
  readonly closeAfter?: number
}

export interface RunResult {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The output as JSON; undefined when it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly json: any
}

/** Runs the command line in this process, as it was typed. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { columns, cwd = '/', env = {}, createManager, closeAfter } = options
  const [typed, signals] = [[...(options.typed ?? [])], [...(options.signals ?? [])]]
  const terminal = columns === undefined ? {} : { isTTY: true, columns, rows: 40 }
  const stdin = Object.assign(new PassThrough(), terminal, { setRawMode() {} })
  if (columns === undefined) stdin.end(options.input ?? '')
  const [stdout, stderr] = [Object.assign(new PassThrough(), terminal), Object.assign(new PassThrough(), terminal)]
  const emitter = new EventEmitter()
  let [out, err] = ['', '']
  const look = () => {
    const text = out + err
    // A person is never so fast that it is in the middle of a drawing.
    const soon = (work: () => void) => void setImmediate(work)
    if (typed[0] && text.includes(typed[0].after)) {
      const key = typed.shift()?.text
      soon(() => stdin.write(key))
    }
    if (signals[0] && text.includes(signals[0].after)) {
      const signal = signals.shift()?.signal
      soon(() => emitter.emit(signal ?? ''))
    }
  }
  stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    if (closeAfter !== undefined && out.length >= closeAfter) stdout.destroy()
    look()
  })
  stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
    look()
  })
  const code = await main(args, {
    stdin,
    stdout,
    stderr,
    cwd,
    env,
    signals: emitter,
    ...(createManager && { createManager }),
  })
  // What was written is read in a later turn.
  await new Promise((resolve) => setImmediate(resolve))
  return {
    code,
    out,
    err,
    get json() {
      return out.startsWith('{') ? (JSON.parse(out) as unknown) : undefined
    },
  }
}
