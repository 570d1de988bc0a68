import { DatabaseSync, type StatementSync } from 'node:sqlite'

export interface AnswerCache {
  /**
   * The answer under this key, made now or since the registry changed last, within the last second. Those who ask while
   * it is made get the same one.
   */
  get(key: string, make: () => Promise<string>): Promise<Buffer>
  close(): void
}

interface Entry {
  /** Version of the registry before it was made. */
  readonly version: number
  readonly made: number
  readonly body: Promise<Buffer>
}

/** What processes do shows in no registry, so nothing is older. In ms. */
const oldestMs = 1000
const mostEntries = 20

/** @param database file of the registry, which is there */
export function createAnswerCache(database: string): AnswerCache {
  const entries = new Map<string, Entry>()
  let opened: { readonly connection: DatabaseSync; readonly version: StatementSync } | undefined
  // It reports what other connections write, so it needs one that writes nothing.
  const versionNow = () => {
    if (!opened) {
      const connection = new DatabaseSync(database, { readOnly: true, timeout: 5000 })
      opened = { connection, version: connection.prepare('pragma data_version') }
    }
    return opened.version.get()?.['data_version'] as number
  }

  return {
    async get(key, make) {
      const version = versionNow()
      const known = entries.get(key)
      if (known && known.version === version && performance.now() - known.made < oldestMs) return known.body
      const body = make().then((text) => Buffer.from(text))
      const entry = { version, made: performance.now(), body }
      entries.delete(key)
      entries.set(key, entry)
      if (entries.size > mostEntries) entries.delete(entries.keys().next().value as string)
      // A failure is answered to those who wait for it, and to no other caller.
      body.catch(() => entries.get(key) === entry && entries.delete(key))
      return body
    },
    close: () => opened?.connection.close(),
  }
}
