import type { Tail } from '@steward/db-adapters/server'
import type { StreamOptions } from '../../files/stream-options.js'
import type { ManifestFile } from '../backup.js'
import type { Opener } from './age.js'
import type { EntryCheck } from './check-entries.js'

/** What reading or writing a file of a backup finds out about it. */
export type Measures = Omit<ManifestFile, 'name'>

export interface ReadOptions extends StreamOptions {
  /** It is a tar: takes its entries, one after the other; what it throws is thrown. */
  readonly check?: EntryCheck | undefined
  /** Takes its last bytes, or more. */
  readonly tail?: Tail | undefined
  /** Decrypts. */
  readonly opener?: Opener | undefined
  /** More bytes than these in it are refused. Default: as many as there are. */
  readonly limit?: number | undefined
  /** Until this resolves more may come to the file. Default: nothing comes. */
  readonly end?: Promise<unknown>
}
