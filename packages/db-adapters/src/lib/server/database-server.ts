import type { Readable, Writable } from 'node:stream'

/**
 * Makes, dumps, restores and copies whole databases: for those who run many applications on one server. One contract
 * suite runs on each. Programs never get passwords as arguments.
 */
export interface DatabaseServer {
  readonly type: 'sqlite' | 'mysql' | 'postgresql' | 'oracle' | 'mssql'
  readonly capabilities: DatabaseServerCapabilities
  /** Whether it can be reached, and with which of the vendor's programs. @throws DatabaseServerError */
  probe(signal?: AbortSignal): Promise<DatabaseServerInfo>
  /** `partial`: only one of database and user is there, or the user may not use it. */
  exists(account: DatabaseAccount): Promise<'no' | 'partial' | 'yes'>
  /** Whether it has no tables, as its user sees it. @throws DatabaseServerError `ERR_NOT_FOUND` when it is not there. */
  isEmpty(account: DatabaseAccount): Promise<boolean>
  /**
   * Makes database and user with least rights; what is there already stays, with the given password. They carry the mark
   * of this server then.
   *
   * @throws DatabaseServerError `ERR_MARK` when they carry another mark
   */
  create(account: DatabaseAccount): Promise<void>
  /**
   * Ends its connections and removes database and user; nothing to do when there is none.
   *
   * @throws DatabaseServerError `ERR_MARK` when they carry another mark
   */
  drop(account: DatabaseAccount): Promise<void>
  /**
   * The different marks that its database and user carry, see `DatabaseServerMark`. Undefined: this server, or its
   * version, has nothing that can carry one.
   */
  marks(account: DatabaseAccount): Promise<readonly string[] | undefined>
  /** Gives database and user the mark of this server, in place of any other; nothing to do when it has none. */
  mark(account: DatabaseAccount): Promise<void>
  /**
   * A consistent dump while others write: in the vendor's format, with the vendor's program; of Oracle and SQL Server one
   * of tables (`steward-tables`), without a program.
   *
   * @throws DatabaseServerError `ERR_NO_TOOL` when the program is not there.
   */
  dump(account: DatabaseAccount, options?: DumpOptions): Promise<Dump>
  /**
   * The same dump by a program that writes directly to the output, without passing through this process. Undefined, and
   * absent: this cannot be done here, and `dump` can.
   *
   * @throws DatabaseServerError `ERR_NO_TOOL` when the program is not there.
   */
  dumpDirectly?(account: DatabaseAccount): Promise<DirectDump | undefined>
  /**
   * Into an empty database that `create` made.
   *
   * @throws DatabaseServerError `ERR_DUMP` for a dump with commands of the vendor's client, see `refuseCommands`;
   *   `ERR_MARK` when the database carries another mark
   */
  restore(account: DatabaseAccount, content: Readable, options?: DumpOptions): Promise<void>
  /** Into an empty database of the same type that `create` made. */
  copy(from: DatabaseAccount, to: DatabaseAccount, options?: DumpOptions): Promise<void>
  /** URL for an application, with the password. */
  url(account: DatabaseAccount): string
  /** The vendor's client, for a person at a terminal. @throws DatabaseServerError `ERR_NO_TOOL` */
  client(account: DatabaseAccount): Promise<ClientProgram>
  /** Its tables in the order of their names, and bytes used: what is known without reading rows. */
  extent(account: DatabaseAccount): Promise<DatabaseExtent>
  /** Rows by table, and bytes used. */
  statistics(account: DatabaseAccount): Promise<DatabaseStatistics>
  /** Rows by table that were changed at a time or later. Tables and columns that are not there are left out. */
  changedSince(account: DatabaseAccount, since: ChangedSince): Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

export interface DatabaseServerCapabilities {
  /** Each database has a user of its own. */
  readonly users: boolean
  /** `dump` is consistent while others write. */
  readonly onlineDump: boolean
  /** Programs of the vendor dump and restore; without them these fail. */
  readonly toolDumps: boolean
  /** It has a process of its own that must be reachable. */
  readonly server: boolean
}

/** A database and who may use it. */
export interface DatabaseAccount {
  /** On SQLite: the absolute path of the file. */
  readonly name: string
  /** On SQLite: ignored. */
  readonly user: string
  readonly password: string
  /** How the vendor's programs are launched that use it. Default: that of the server, see `DatabaseServerTools`. */
  readonly launch?: Launch | undefined
}

/**
 * Says how a program is launched, by its path or name, such as by another one that first gives up rights.
 *
 * ```ts
 * const launch: Launch = (program) => ({ command: 'setpriv', args: ['--reuid=1001', '--clear-groups', '--', program] })
 * ```
 */
export type Launch = (program: string) => LaunchedProgram

export interface LaunchedProgram {
  readonly command: string
  /** Before the arguments of the program. */
  readonly args: readonly string[]
  /** Over the variables of this process that programs get, such as `HOME`. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface DatabaseServerInfo {
  /** `PostgreSQL 15.14`, `MariaDB 10.11.14`, `SQLite 3.53.0` */
  readonly server: string
  /** Paths of the vendor's programs by name; undefined: not there. */
  readonly tools: Readonly<Record<string, string | undefined>>
}

export interface DumpOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (bytes: number) => void
  /** Takes what a copy does not have, and why, in a sentence each; a dump has them in `warnings`. */
  readonly warn?: ((text: string) => void) | undefined
  /**
   * A program is ended when it takes longer than this, in ms, to write or read anything: it may be stopped, or wait for a
   * lock for ever. Default: 30 minutes for a dump; 4 hours for a restore, as an index of a large table takes long.
   */
  readonly silenceMs?: number | undefined
}

/** A dump while it is made. The content may end well although the program fails: it is good only when `done` resolves. */
export interface Dump {
  readonly content: Readable
  readonly done: Promise<void>
  /** Programs that made it, with their versions. */
  readonly tools: Readonly<Record<string, string>>
  /** What is not in it, and why. Absent: everything is. */
  readonly warnings?: readonly string[]
}

/** A dump that is about to be made, once. */
export interface DirectDump {
  /** Programs that make it, with their versions. */
  readonly tools: Readonly<Record<string, string>>
  /** Stands in the last 512 bytes of a complete dump; readers look for it, see `createTail`. */
  readonly trailer: string
  /**
   * Makes it into an open file, or a pipe of another program, which is closed here. The program ends with this process,
   * however that ends.
   *
   * @throws DatabaseServerError, or the signal's reason, when the program has ended: what it wrote is not a dump
   */
  into(output: Writable | number, options?: DirectDumpOptions): Promise<void>
}

export interface DirectDumpOptions {
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined
  /** As in `DumpOptions`. */
  readonly silenceMs?: number | undefined
  /** The dump is of this moment, whatever is written from now on. */
  readonly onBegun?: () => void
}

export interface ClientProgram {
  readonly command: string
  readonly args: readonly string[]
  /** With the password, or the path of a file that holds it. */
  readonly environment: Readonly<Record<string, string>>
}

export interface DatabaseExtent {
  readonly tables: readonly string[]
  readonly bytes: number
}

export interface DatabaseStatistics {
  readonly rows: Readonly<Record<string, number>>
  readonly bytes: number
}

export interface ChangedSince {
  /** As in the columns: `2026-11-21 03:00:00`. */
  readonly time: string
  /** Column of the time of the last change, by table. */
  readonly columns: Readonly<Record<string, string>>
}

export type DatabaseServerErrorCode =
  | 'ERR_UNREACHABLE'
  | 'ERR_CREDENTIALS'
  | 'ERR_NO_TOOL'
  | 'ERR_EXISTS'
  | 'ERR_NOT_FOUND'
  | 'ERR_DISK_FULL'
  | 'ERR_DUMP'
  | 'ERR_MARK'
  | 'ERR_FAILED'

/** The same symbol in every copy of this package. */
const brand = Symbol.for('@steward/db-adapters/DatabaseServerError')

/** A stable `code`; `output` has the last lines that a program printed. */
export class DatabaseServerError extends Error {
  readonly code: DatabaseServerErrorCode
  readonly output: string | undefined

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is DatabaseServerError {
    return typeof value === 'object' && value !== null && brand in value
  }

  constructor(code: DatabaseServerErrorCode, message: string, options: { cause?: unknown; output?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DatabaseServerError'
    this.code = code
    this.output = options.output
  }
}
