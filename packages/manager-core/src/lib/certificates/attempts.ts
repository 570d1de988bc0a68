import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../domain/home.js'
import { writePrivateFile } from '../files/write-private-file.js'

type Certificates = Pick<Home, 'certificates'>

/** What failed of a certificate, until it is issued. */
export interface Attempts {
  /** In a row. */
  readonly failures: number
  /** ISO 8601. */
  readonly last: string
  /** Not again by itself before. */
  readonly next: string
  readonly message: string
}

interface State {
  readonly attempts: Readonly<Record<string, Attempts>>
  /** What the operator was last notified of, by name. */
  readonly alarms: Readonly<Record<string, string>>
}

/**
 * How long after that many failures in a row nothing is tried. Authorities allow few: Let's Encrypt 5 for an account and
 * host in an hour (https://letsencrypt.org/docs/rate-limits/). Not specified; chosen: from a quarter of an hour to a day.
 */
export function pauseAfter(failures: number): number {
  return Math.min(15 * 60_000 * 2 ** (failures - 1), 24 * 3_600_000)
}

export function readAttempts(home: Certificates): State['attempts'] {
  return read(home).attempts
}

/**
 * One more, noted before it is started: who dies during it has tried, too. Success ends the row (`forgetAttempts`).
 *
 * @param message what is reported when there is no other error
 */
export async function noteAttempt(home: Certificates, name: string, at: Date, message: string): Promise<void> {
  const failures = (readAttempts(home)[name]?.failures ?? 0) + 1
  const next = new Date(at.getTime() + pauseAfter(failures)).toISOString()
  await write(home, { attempts: { [name]: { failures, last: at.toISOString(), next, message } } })
}

/** Why the attempt that was noted failed. */
export async function noteFailure(home: Certificates, name: string, message: string): Promise<void> {
  const attempt = readAttempts(home)[name]
  if (attempt) await write(home, { attempts: { [name]: { ...attempt, message: message.slice(0, 1000) } } })
}

export async function forgetAttempts(home: Certificates, name: string): Promise<void> {
  if (readAttempts(home)[name]) await write(home, { attempts: { [name]: undefined } })
}

export function readAlarms(home: Certificates): State['alarms'] {
  return read(home).alarms
}

/** In place of all others. */
export async function noteAlarms(home: Certificates, alarms: State['alarms']): Promise<void> {
  const old = Object.fromEntries(Object.keys(readAlarms(home)).map((name) => [name, undefined]))
  await write(home, { alarms: { ...old, ...alarms } })
}

function fileOf({ certificates }: Certificates): string {
  return join(certificates, 'state.json')
}

function read(home: Certificates): State {
  try {
    const { attempts = {}, alarms = {} } = JSON.parse(readFileSync(fileOf(home), 'utf8')) as Partial<State>
    return { attempts, alarms }
  } catch (error) {
    // Damaged by hand: at worst something is tried or reported once more.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return { attempts: {}, alarms: {} }
    throw error
  }
}

/** Values of undefined are removed. Who writes holds the lock `certificates`. */
async function write(
  home: Certificates,
  change: { readonly [Key in keyof State]?: Record<string, unknown> },
): Promise<void> {
  const { attempts, alarms } = read(home)
  await mkdir(home.certificates, { recursive: true, mode: 0o700 })
  const state = { attempts: { ...attempts, ...change.attempts }, alarms: { ...alarms, ...change.alarms } }
  await writePrivateFile(fileOf(home), `${JSON.stringify(state, undefined, 2)}\n`)
}
