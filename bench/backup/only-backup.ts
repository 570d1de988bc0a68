import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHome } from '../manager/commands.ts'

/** The backup of `bench`, which has one only. */
export function onlyBackup(home: BenchHome): { readonly folder: string; readonly bytes: number } {
  const { list } = home.json('backups', 'list', 'bench') as { list: { folder: string }[] }
  const folder = list[0]?.folder as string
  const files = readdirSync(folder).map((name) => statSync(join(folder, name)))
  return { folder, bytes: files.reduce((sum, { size }) => sum + size, 0) }
}
