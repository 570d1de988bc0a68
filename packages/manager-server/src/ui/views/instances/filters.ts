import { hasNoBackup, isBeingChanged, isDown, needsAttention, needsUpgrade, type Instance } from '../../lib/instance.js'

/** What is looked for; empty: anything. In the address each has the name of its key. */
export interface Filters {
  /** Words that must all be somewhere in name, version, owner, company or addresses. */
  readonly q: string
  /** Observed state. */
  readonly status: string
  readonly version: string
  readonly database: string
  readonly runtime: string
  readonly flag: string
}

export const noFilters: Filters = { q: '', status: '', version: '', database: '', runtime: '', flag: '' }

type Test = (row: Instance) => boolean

/** Marks that instances may have. */
export const flags = {
  protected: (row) => row.protected === 'yes',
  unprotected: (row) => row.protected === 'no',
  autosave: (row) => row.auto_save === 'yes',
  noautosave: (row) => row.auto_save === 'no',
  autoupdate: (row) => row.auto_update === 'yes',
  noautoupdate: (row) => row.auto_update === 'no',
  down: isDown,
  upgradable: needsUpgrade,
  nobackup: hasNoBackup,
  attention: needsAttention,
  operation: isBeingChanged,
  neverproved: (row) => row.proved === '',
} as const satisfies Readonly<Record<string, Test>>

export type Flag = keyof typeof flags

export const flagNames = Object.keys(flags) as readonly Flag[]

/** What a person looks for first: chips with their number. */
export const quickFlags: readonly Flag[] = ['attention', 'down', 'operation', 'upgradable', 'nobackup']

/** Those of an address; what it says more is left out. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const entries = Object.keys(noFilters).map((key) => [key, (query[key] ?? '').slice(0, 200)])
  const filters = Object.fromEntries(entries) as unknown as Filters
  return Object.hasOwn(flags, filters.flag) ? filters : { ...filters, flag: '' }
}

/** Without marks on letters and capitals, so that `eleve` finds `Élève`. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/** What the words are looked for in. */
export function wordsOf(row: Instance): string {
  const { name, version, owner_email, firstname, lastname, company, url, custom_url, public_url } = row
  return plain([name, version, owner_email, firstname, lastname, company, url, custom_url, public_url].join('\n'))
}

/** Rows that all filters want. */
export function filterRows(
  rows: readonly Instance[],
  { q, status, version, database, runtime, flag }: Filters,
  /** `wordsOf` each row, by id. */
  words: ReadonlyMap<string, string>,
): readonly Instance[] {
  const wanted = plain(q).split(/\s+/).filter(Boolean)
  const test: Test = flag === '' ? () => true : flags[flag as Flag]
  return rows.filter(
    (row) =>
      (status === '' || row.observed === status) &&
      (version === '' || row.version === version) &&
      (database === '' || row.database === database) &&
      (runtime === '' || row.runtime === runtime) &&
      test(row) &&
      wanted.every((word) => words.get(row.id)?.includes(word)),
  )
}
