import type { Client } from 'basic-ftp'
import { sha256OfNothing } from '../remote-files/remote-files.js'
import { TargetError } from '../target-error.js'
import type { StatFile } from './read.js'

/** The slowest that a server is believed to hash: it says nothing meanwhile. */
const hashedBytesPerMs = 10_000

/** The command that a server hashes by, when it can. */
export function hashCommandOf(features: ReadonlyMap<string, string>): 'XSHA256' | 'HASH' | undefined {
  if (features.has('XSHA256')) return 'XSHA256'
  return features.get('HASH')?.includes('SHA-256') ? 'HASH' : undefined
}

/** The SHA-256 of a file as the server computes it. */
export async function hashFile(
  client: Client,
  statFile: StatFile,
  command: 'XSHA256' | 'HASH',
  path: string,
): Promise<string> {
  const { size = 0 } = (await statFile(client, path)) ?? {}
  // ProFTPD refuses to.
  if (size === 0) return sha256OfNothing
  if (command === 'HASH') await client.send('OPTS HASH SHA-256')
  const answer = client.send(`${command} ${path}`)
  client.ftp.socket.setTimeout(client.ftp.timeout + size / hashedBytesPerMs)
  const { message } = await answer
  const sum = /\b[0-9a-f]{64}\b/i.exec(message)?.[0]
  if (sum !== undefined) return sum.toLowerCase()
  throw new TargetError('ERR_TARGET_FAILED', `The server answers ${command} without a hash: ${message}`)
}
