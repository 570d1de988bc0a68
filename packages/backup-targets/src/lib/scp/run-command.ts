import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { abortable } from '../abortable.js'
import { startSsh, type SshEnd } from './ssh-process.js'
import type { SshSettings } from './settings.js'

export interface CommandEnd extends SshEnd {
  readonly exitCode: number
  readonly stdout: string
}

/**
 * Runs a command on the server to its end, with what it reads.
 *
 * @throws TargetError when `ssh` fails, an error of the input, or the signal's reason.
 */
export async function runCommand(
  settings: SshSettings,
  command: string,
  { signal, input }: { signal?: AbortSignal | undefined; input?: AsyncIterable<Buffer> } = {},
): Promise<CommandEnd> {
  signal?.throwIfAborted()
  const { child, ended, kill } = startSsh(settings, { command })
  try {
    const output = textOf(child.stdout)
    const sending = input && pipeline(input, child.stdin)
    if (!input) child.stdin.end()
    const failed = sending?.catch((error: NodeJS.ErrnoException) => {
      // It reads no more: how it ended tells why.
      if (!['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(error.code ?? '')) throw error
    })
    const [end, stdout] = await abortable(Promise.all([ended, output, failed]), signal)
    if (end.exitCode === undefined) throw end.error as Error
    return { ...end, exitCode: end.exitCode, stdout }
  } finally {
    kill()
  }
}

async function textOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) text += chunk
  return text
}
