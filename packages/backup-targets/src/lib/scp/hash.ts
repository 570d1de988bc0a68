import type { Readable } from 'node:stream'
import { abortable } from '../abortable.js'
import { sha256OfNothing } from '../remote-files/remote-files.js'
import { TargetError } from '../target-error.js'
import { lastLines } from './errors.js'
import type { SftpSession } from './session.js'
import { serverName, type SshSettings } from './settings.js'
import { shellWord } from './shell-word.js'
import { startSsh } from './ssh-process.js'

/** Best first: the `sha256sum` of some systems, such as Debian 12, is several times slower than OpenSSL. */
const hashers = ['openssl dgst -sha256 -r', 'sha256sum']

/** The first of them that the server runs as it must; undefined: servers that are for files only run no commands. */
export async function findHasher({ settings }: SftpSession): Promise<string | undefined> {
  for (const hasher of hashers) {
    const { stdout } = await runCommand(settings, `${hasher} /dev/null`, undefined)
    if (sumIn(stdout) === sha256OfNothing) return hasher
  }
  return undefined
}

/** The SHA-256 of a file, by its absolute path, as the server computes it. */
export async function hashFile(
  { settings }: SftpSession,
  hasher: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { stdout, output } = await runCommand(settings, `${hasher} ${shellWord(path)}`, signal)
  const sum = sumIn(stdout)
  if (sum !== undefined) return sum
  throw new TargetError('ERR_TARGET_FAILED', `${serverName(settings)} cannot hash ${path}: ${lastLines(output)}`)
}

/** In front of paths with special characters there is a backslash. */
function sumIn(output: string): string | undefined {
  return /^\\?([0-9a-f]{64})\b/.exec(output)?.[1]
}

/**
 * Runs a command that reads nothing to its end, over the log-in of a session.
 *
 * @throws TargetError when `ssh` fails, or the signal's reason.
 */
async function runCommand(
  settings: SshSettings,
  command: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly stdout: string; readonly output: string }> {
  signal?.throwIfAborted()
  const { child, ended, kill } = startSsh(settings, { command })
  try {
    child.stdin.end()
    const [{ exitCode, output, error }, stdout] = await abortable(Promise.all([ended, textOf(child.stdout)]), signal)
    if (exitCode === undefined) throw error as Error
    return { stdout, output }
  } finally {
    kill()
  }
}

async function textOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) text += chunk
  return text
}
