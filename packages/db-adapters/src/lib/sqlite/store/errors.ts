import { StoreError, type Refusal, type StoreErrorCode } from '@steward/rest-core/errors'

/** What is left of an error of the driver when it crossed a thread: enough to translate it. */
export interface VendorError {
  /** SQLite's extended result code by name, e.g. `SQLITE_CONSTRAINT_UNIQUE`; absent for errors of the driver itself. */
  readonly code?: string
  readonly message: string
}

/**
 * Translates what SQLite or its driver threw. Codes: https://www.sqlite.org/rescode.html
 *
 * @param attempt What was attempted, e.g. `insert into "movie"`
 */
export function toStoreError(error: unknown, attempt: string): StoreError {
  if (StoreError.is(error)) return error
  const { code = '', message } = error as VendorError
  const [kind, hint] = classify(code, message, attempt)
  return new StoreError(kind, `Cannot ${attempt}: ${message || code || String(error)}.${hint ? ` ${hint}` : ''}`, {
    cause: error,
    refusal:
      kind === 'broken'
        ? { constraint: misfit(message, attempt) }
        : kind === 'unique' || kind === 'value'
          ? refusalOf(code, message)
          : undefined,
  })
}

const reasons: Readonly<Record<string, Refusal['why']>> = {
  SQLITE_CONSTRAINT_NOTNULL: 'missing',
  SQLITE_CONSTRAINT_CHECK: 'check',
  SQLITE_CONSTRAINT_DATATYPE: 'form',
  SQLITE_CONSTRAINT_TRIGGER: 'trigger',
  SQLITE_MISMATCH: 'form',
  SQLITE_TOOBIG: 'length',
}

/** The texts are SQLite's own and in English: `… failed: movie.mov_code, movie.mov_year`, `… column movie.mov_year`. */
function refusalOf(code: string, message: string): Refusal {
  const [, stated = ''] = /^[A-Z ]+ constraint failed: (.*)$/s.exec(message) ?? []
  const typed = /^cannot store .* in .* column (.*)$/.exec(message)?.[1]
  const why = reasons[code]
  return {
    why,
    columns: why === 'check' ? undefined : columnsIn(typed ?? stated),
    constraint: why === 'check' ? stated : undefined,
  }
}

/** An index on expressions is named (`index 'x'`) and has no columns. */
function columnsIn(text: string): string[] | undefined {
  const names = text.split(', ').map((name) => name.slice(name.lastIndexOf('.') + 1))
  return text === '' || text.startsWith('index ') ? undefined : names
}

/** Another connection holds a lock; trying again later may succeed. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && ((error as VendorError).code ?? '').startsWith('SQLITE_BUSY')
}

/** What a foreign key, trigger or view of the attempted table refers to, when that is missing. */
function misfit(message: string, attempt: string): string | undefined {
  const [, key] = /^foreign key mismatch - (.*)$/s.exec(message) ?? []
  if (key !== undefined) return `foreign key: ${key}`
  const [, kind = '', what] = /^no such (function|collation sequence): (.*)$/s.exec(message) ?? []
  if (what !== undefined) return `no ${kind} "${what}"`
  const [, table] = /^no such table: main\.(.*)$/s.exec(message) ?? []
  return table === undefined || attempt.toLowerCase().endsWith(`"${table.toLowerCase()}"`)
    ? undefined
    : `no table "${table}"`
}

function classify(code: string, message: string, attempt: string): [StoreErrorCode, string?] {
  switch (code) {
    case 'SQLITE_CONSTRAINT_UNIQUE': // UNIQUE constraint failed: movie.mov_code
    case 'SQLITE_CONSTRAINT_PRIMARYKEY': // UNIQUE constraint failed: movie.code
    case 'SQLITE_CONSTRAINT_ROWID': // UNIQUE constraint failed: movie.row_id
      return ['unique']
    case 'SQLITE_CONSTRAINT_FOREIGNKEY': // FOREIGN KEY constraint failed
      return ['reference']
    case 'SQLITE_CONSTRAINT_TRIGGER': // the same for "on delete restrict", which SQLite carries out as a trigger; or raise(abort, …)
      return [message === 'FOREIGN KEY constraint failed' ? 'reference' : 'value']
    case 'SQLITE_CONSTRAINT_NOTNULL': // NOT NULL constraint failed: movie.mov_title
    case 'SQLITE_CONSTRAINT_CHECK': // CHECK constraint failed: length(mov_title) < 10
    case 'SQLITE_CONSTRAINT_DATATYPE': // cannot store TEXT value in INTEGER column movie.mov_year
    case 'SQLITE_MISMATCH': // datatype mismatch
    case 'SQLITE_TOOBIG': // string or blob too big
    case 'SQLITE_RANGE': // column index out of range
      return ['value']
    case 'SQLITE_FULL': // database or disk is full
      return ['unavailable', 'Make room on the disk.']
    case 'SQLITE_CANTOPEN': // unable to open database file
      return ['unavailable', 'Check that the folder exists and may be written.']
    case 'SQLITE_INTERRUPT': // interrupted
      return ['timeout']
    case 'SQLITE_PROTOCOL': // locking protocol
      return ['unavailable']
    case 'SQLITE_CORRUPT': // database disk image is malformed
    case 'SQLITE_NOTADB': // file is not a database
      return ['internal', 'The file is damaged or no SQLite database; restore a backup.']
    case 'SQLITE_ERROR':
      if (misfit(message, attempt) !== undefined)
        return ['broken', 'Add the missing table, or a unique index to the columns that the foreign key names.']
      if (/^cannot (?:modify|INSERT into|UPDATE) /i.test(message)) return ['right']
      if (/^no such (table|column)|has no column named/.test(message))
        return ['schema', 'The table does not fit the definition; sync the model.']
      if (/^too many SQL variables|pattern too complex|^Expression tree is too large/.test(message)) return ['value']
      return ['internal']
    case '':
      // Errors of the driver itself, which are plain TypeErrors.
      if (message === 'The database connection is not open') return ['unavailable']
      if (message.startsWith('Cannot open database because the directory does not exist')) return ['unavailable']
      return ['internal']
    default:
      if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return ['busy']
      if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CANTOPEN')) return ['unavailable']
      if (code === 'SQLITE_READONLY_DBMOVED') return ['unavailable', 'The file was moved or removed while it was open.']
      if (code.startsWith('SQLITE_READONLY')) return ['right', 'Check that the file and its folder may be written.']
      if (code.startsWith('SQLITE_CORRUPT')) return classify('SQLITE_CORRUPT', message, attempt)
      return ['internal'] // SQLITE_NOMEM, SQLITE_MISUSE, …
  }
}
