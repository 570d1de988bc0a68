import { createStore } from '@steward/db-adapters'
import type { DefinitionFormat } from './definition-format.js'
import { resolveDatabase } from '../open-database.js'
import { readDatabase } from './describe-database.js'
import { definitionsText, headOf, writeDefinitions } from './write-definitions.js'

export interface DescribeOptions {
  readonly format?: DefinitionFormat
  /** Folder for one file per object. Default: all in one text. */
  readonly output?: string
  readonly schema?: readonly string[]
}

/**
 * Definitions of the tables of a database to start from. The database is only read.
 *
 * @returns for standard output: the definitions, or what was written where.
 * @throws StoreError, SettingsError: each says what to do.
 */
export async function describeUrl(
  database: string,
  { format = 'yaml', output, schema: schemas }: DescribeOptions,
): Promise<{ readonly text: string; readonly isEmpty: boolean }> {
  const url = resolveDatabase(database, process.cwd())
  const store = await createStore({ url, ...(isFile(url) && { readOnly: true }) })
  try {
    const found = await readDatabase(store, { schemas })
    const isEmpty = found.objects.length === 0
    if (output === undefined) return { text: definitionsText(found, format), isEmpty }
    const files = await writeDefinitions(output, found, format)
    const lines = [...files.map((name) => `Wrote ${name}`), ...headOf(found)]
    return { text: `${lines.join('\n')}\n`, isEmpty }
  } finally {
    await store.close()
  }
}

function isFile(url: string): boolean {
  return /^(?:sqlite|file):(?!:memory:)/i.test(url)
}
