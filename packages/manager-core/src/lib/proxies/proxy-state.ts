import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../files/write-private-file.js'
import type { ProcessIdentity } from '../system/process-identity.js'
import type { Problem, RefusedSnippet } from './problem.js'
import type { Upstream } from './site.js'

/** What the publisher remembers, in `state.json` of the folder of the reverse proxy. */
export interface ProxyState {
  /** Identifies what is published; empty: nothing yet. */
  readonly fingerprint: string
  /** Name of the generation that is in force, in `generations/`. */
  readonly generation: string
  /** ISO 8601; empty: never. */
  readonly published: string
  /** The program was made to load this generation, or did not run. */
  readonly reloaded: boolean
  /** Where the server of the manager listened last. */
  readonly manager?: Upstream
  /** Where the server of the manager wakes instances. */
  readonly waker?: Upstream
  /** Ids of instances whose requests pass the waker. */
  readonly sleepers: readonly string[]
  /** Ids of instances that requests are passed on to, and of those for which the proxy answers itself. */
  readonly open: readonly string[]
  readonly closed: readonly string[]
  /** Snippets that were refused, by the hash of their text: they are not tried again. */
  readonly refused: Readonly<Record<string, RefusedSnippet>>
  readonly problems: readonly Problem[]
  /** Why nothing was published last; empty: it was. */
  readonly failure: string
  /** Worker processes from before the last reload, which finish what they have started. */
  readonly retiring: readonly ProcessIdentity[]
  /** Names by the instance's id, so that a snippet follows its instance when that is renamed. */
  readonly names: Readonly<Record<string, string>>
  /** Hashes by host: only what is another one is asked after a publication. */
  readonly sites: Readonly<Record<string, string>>
}

const none: ProxyState = {
  fingerprint: '',
  generation: '',
  published: '',
  reloaded: false,
  sleepers: [],
  open: [],
  closed: [],
  refused: {},
  problems: [],
  failure: '',
  retiring: [],
  names: {},
  sites: {},
}

/** One that is not there or damaged is empty: all is published again. */
export function readState(folder: string): ProxyState {
  try {
    return { ...none, ...(JSON.parse(readFileSync(fileIn(folder), 'utf8')) as ProxyState) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return none
    throw error
  }
}

export async function writeState(folder: string, state: ProxyState): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await writePrivateFile(fileIn(folder), `${JSON.stringify(state, undefined, 2)}\n`)
}

function fileIn(folder: string): string {
  return join(folder, 'state.json')
}
