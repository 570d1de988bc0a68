import { sqlite, type Queryable } from './sqlite.js'

/** Places in buckets that this manager gave to instances, until they are removed. */
export interface DocumentBucketRows {
  all(): readonly DocumentBucketRow[]
  /** One that is there stays as it is. */
  insert(address: string): void
  /** @param since ISO 8601; empty: it is used */
  setUnused(address: string, since: string): void
  remove(address: string): void
}

export interface DocumentBucketRow {
  readonly address: string
  /** ISO 8601: since when no instance has been seen to use it; empty: one does. */
  readonly unused_since: string
}

export function createDocumentBucketRows({ [sqlite]: database }: Queryable): DocumentBucketRows {
  return {
    all: () => database.prepare('select * from document_bucket').all() as unknown as DocumentBucketRow[],
    insert: (address) =>
      void database.prepare('insert or ignore into document_bucket (address) values (?)').run(address),
    setUnused(address, since) {
      database.prepare('update document_bucket set unused_since = ? where address = ?').run(since, address)
    },
    remove: (address) => void database.prepare('delete from document_bucket where address = ?').run(address),
  }
}
