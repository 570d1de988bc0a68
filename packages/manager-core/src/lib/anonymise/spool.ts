import { DatabaseSync } from 'node:sqlite'

/** What does not fit into memory: an embedded database in a file without a name, which ends with the process. */
export interface Spool {
  /**
   * Takes a made value for an input, without regard to case, as some databases compare.
   *
   * @param scope where made values must be different
   * @returns false when it is taken for another input
   */
  claim(scope: string, made: string, input: Buffer): boolean
  /** Keeps a record aside. `order` decides to which record, in their order, the value of each column goes. */
  add(row: string, values: readonly { readonly value: string; readonly order: bigint }[]): void
  /** The records that were kept aside in their order, with the values of the columns in that of theirs; then it is empty. */
  drain(): Generator<{ readonly row: string; readonly values: readonly string[] }>
  close(): void
}

export function openSpool(): Spool {
  // Without a name: private to its owner, and unlinked as soon as it is made.
  const database = new DatabaseSync('')
  database.exec(`
    pragma journal_mode = off; pragma synchronous = off; pragma temp_store = file;
    create table claim (scope text, made text, input blob, primary key (scope, made)) without rowid;
    create table held (number integer primary key, row text);
    create table part (position integer, place integer, number integer, value text);
    begin`)
  const find = database.prepare('select input from claim where scope = ? and made = ?')
  const take = database.prepare('insert into claim values (?, ?, ?)')
  const hold = database.prepare('insert into held values (?, ?)')
  const holdPart = database.prepare('insert into part values (?, ?, ?, ?)')
  const rows = database.prepare('select row from held order by number')
  const parts = () => database.prepare('select value from part where position = ? order by place, number')
  let [count, columns] = [0, 0]

  return { claim, add, drain, close: () => database.close() }

  function claim(scope: string, made: string, input: Buffer): boolean {
    const folded = made.toLowerCase()
    const found = find.get(scope, folded)
    if (found === undefined) take.run(scope, folded, input)
    return found === undefined || input.equals(found.input as Uint8Array)
  }

  function add(row: string, values: readonly { readonly value: string; readonly order: bigint }[]): void {
    hold.run(count, row)
    for (const [at, { value, order }] of values.entries()) holdPart.run(at, order, count, value)
    columns = values.length
    count++
  }

  function* drain() {
    const readers = Array.from({ length: columns }, (_, at) => parts().iterate(at))
    for (const { row } of rows.iterate()) {
      const values = readers.map((reader) => (reader.next().value as unknown as { value: string }).value)
      yield { row: row as string, values }
    }
    for (const reader of readers) reader.return?.()
    database.exec('delete from held; delete from part')
    count = 0
  }
}
