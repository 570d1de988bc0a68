import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import type { Home } from '../domain/home.js'

type Certificates = Pick<Home, 'certificates'>

/** Where authorities ask: below it is the token. Source: RFC 8555, 8.3. */
export const challengePath = '/.well-known/acme-challenge/'

/** Characters of base64url, RFC 8555, 8.3; no path is built from anything else. */
const tokenPattern = /^[\w-]{1,200}$/

/** Answers of challenges are files, so that the server, whatever process issues, can give them. */
export function challengeFolder({ certificates }: Certificates): string {
  return join(certificates, 'challenges')
}

export async function putChallenge(home: Certificates, token: string, answer: string): Promise<void> {
  await mkdir(challengeFolder(home), { recursive: true, mode: 0o700 })
  await writeFile(fileOf(home, token), answer, { mode: 0o600 })
}

/** Removes what killed orders left. The caller holds the lock `certificates`, so that no order needs them. */
export async function forgetChallenges(home: Certificates): Promise<void> {
  await removeTree(challengeFolder(home))
}

export async function removeChallenge(home: Certificates, token: string): Promise<void> {
  await rm(fileOf(home, token), { force: true })
}

/** What an authority wants to hear; undefined: it was not asked to look. */
export function answerOfChallenge(home: Certificates, token: string): string | undefined {
  if (!tokenPattern.test(token)) return undefined
  try {
    return readFileSync(fileOf(home, token), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function fileOf(home: Certificates, token: string): string {
  if (!tokenPattern.test(token)) throw new Error('The authority sent a token with invalid characters.')
  return join(challengeFolder(home), token)
}
