import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { readFile } from 'node:fs/promises'
import { endOf, environmentOf, launchedBy, runToEnd, type ToolCall } from './run-tool.js'
import { createSilence, dumpSilenceMs } from './silence.js'

/** Comes with util-linux, on Linux only. */
const setpriv = 'setpriv'
const tie = ['--pdeathsig=KILL', '--']
const found = new Map<string, Promise<boolean>>()

/** Whether a program can be made to end with this process, however that ends. Looked up once for each `PATH`. */
export function canTie(): Promise<boolean> {
  const path = process.env['PATH'] ?? ''
  let can = found.get(path)
  if (!can) {
    can = runToEnd({ command: setpriv, args: [...tie, 'true'] }).then(
      () => true,
      () => false,
    )
    found.set(path, can)
  }
  return can
}

export interface RunIntoOptions {
  /** The program is ended when it writes nothing for this time. */
  readonly silenceMs?: number | undefined
  /** Called when the program writes into file descriptor 3, which is closed for it else. */
  readonly onBegun?: (() => void) | undefined
}

/**
 * Runs a program without input that writes into an open file, or into a pipe of another program, which ends with it, with
 * nothing of this process between them. It ends with this process; see `canTie`.
 *
 * @throws as `RunningTool.ended`
 */
export async function runInto(
  call: ToolCall,
  output: Writable | number,
  { silenceMs = dumpSilenceMs, onBegun }: RunIntoOptions = {},
): Promise<void> {
  call.signal?.throwIfAborted()
  // Tied last: a process that becomes another user is no longer tied.
  const launched = launchedBy(call.launch, setpriv)
  const child = spawn(launched.command, [...launched.args, ...tie, call.command, ...call.args], {
    stdio: ['ignore', output, 'pipe', ...(onBegun ? (['pipe'] as const) : [])],
    env: environmentOf(call.environment, launched),
  })
  const ended = endOf(child as typeof child & { readonly stderr: Readable }, call)
  const told = child.stdio[3] as Readable | null | undefined
  told
    ?.on('error', () => {})
    .once('data', () => {
      told.destroy()
      onBegun?.()
    })
  try {
    await createSilence({ child, command: call.command, ms: silenceMs }).until(ended, () => writtenBy(child.pid))
  } finally {
    // Another process of its user may have these open, too.
    told?.destroy()
    if (typeof output !== 'number') output.end()
  }
}

/** Bytes that a process has written; undefined: unknown. Source: proc_pid_io(5). */
async function writtenBy(pid: number | undefined): Promise<string | undefined> {
  return /^wchar: \d+$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8').catch(() => ''))?.[0]
}
