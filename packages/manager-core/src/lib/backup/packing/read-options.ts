import type { Tail } from '@steward/db-adapters/server'
import type { SystemAccount } from '../../accounts/account.js'
import type { StreamOptions } from '../../files/stream-options.js'
import type { ManifestFile } from '../backup.js'
import type { Opener } from './age.js'

/** What reading or writing a file of a backup finds out about it. */
export type Measures = Omit<ManifestFile, 'name'>

export interface TarContents {
  /** The only folders that entries may be in. Default: any. */
  readonly tops?: readonly string[] | undefined
  /** Names that only GNU tar can unpack are refused. Default: any name is good. */
  readonly plainNames?: boolean | undefined
}

export interface UnpackPlace {
  /** It belongs to the account. */
  readonly folder: string
  /** Whom it is unpacked as. Default: this process's user, without privileges. */
  readonly account?: SystemAccount | undefined
}

export interface ReadOptions extends StreamOptions {
  /** It is a tar, whose entries are looked at. */
  readonly tar?: TarContents | undefined
  /** Where the tar is unpacked as it is read: what comes there was looked at. It is good only when all was read. */
  readonly into?: UnpackPlace | undefined
  /** It is a dump of a database of this type: what the vendor's client would do itself is refused. */
  readonly dump?: string | undefined
  /** Takes its last bytes, or more. */
  readonly tail?: Tail | undefined
  /** Decrypts. */
  readonly opener?: Opener | undefined
  /** More bytes than these in it are refused. Default: as many as there are. */
  readonly limit?: number | undefined
  /** Until this resolves more may come to the file. Default: nothing comes. */
  readonly end?: Promise<unknown>
}
