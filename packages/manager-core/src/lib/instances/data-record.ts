import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What an instance's `data.json` records about its data. */
export interface DataRecord {
  /** Its database has tables: it has been started. */
  readonly tables?: true
  /** It has documents. */
  readonly documents?: true
}

const fileOf = (folder: string) => join(folder, 'data.json')

/** One that is not there, or cannot be read, says nothing. */
export function readDataRecord(folder: string): DataRecord {
  try {
    const record = JSON.parse(readFileSync(fileOf(folder), 'utf8')) as DataRecord | null
    return typeof record === 'object' && record !== null ? record : {}
  } catch {
    return {}
  }
}

export function writeDataRecord(folder: string, record: DataRecord): void {
  if (JSON.stringify(readDataRecord(folder)) === JSON.stringify(record)) return
  writeFileSync(fileOf(folder), `${JSON.stringify(record)}\n`, { mode: 0o600 })
}
