import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingsError } from '../settings.js'
import { migrationFolder, type MigrationTime } from './load-migrations.js'

const namePattern = /^[a-z0-9][a-z0-9_-]{0,99}$/i

/**
 * Writes the file of a new migration, which runs after all that are there; in TypeScript when the application is.
 *
 * @param name what it does, e.g. `split_names`
 * @returns its path
 * @throws SettingsError for a name that a file should not have
 */
export async function makeMigration(folder: string, name: string, when: MigrationTime, now: Date): Promise<string> {
  if (!namePattern.test(name))
    throw new SettingsError(`"${name}" cannot be the name of a migration: use up to 100 letters, digits, "_" and "-".`)
  const place = join(folder, migrationFolder)
  await mkdir(place, { recursive: true })
  const entries = await Promise.all([readdir(folder), readdir(place)])
  const isTyped = entries.flat().some((each) => each === 'tsconfig.json' || /\.[cm]?ts$/.test(each))
  const time = now.toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const file = join(place, `${time}_${name}.${isTyped ? 'ts' : 'js'}`)
  await writeFile(file, textOf(when, isTyped), { flag: 'wx' })
  return file
}

function textOf(when: MigrationTime, isTyped: boolean): string {
  const type = isTyped ? ': Knex' : ''
  const result = isTyped ? ': Promise<void>' : ''
  const start = isTyped ? `import type { Knex } from 'knex'\n\n` : ''
  const moment =
    when === 'before'
      ? `// Runs before the tables follow the definitions. In a new database, there are none yet.
export const when = 'before'
`
      : `// Runs after the tables follow the definitions; 'before': before that.
export const when = 'after'
`
  return `${start}${moment}
export async function up(knex${type})${result} {
  // await knex('product').whereNull('prd_state').update({ prd_state: 'new' })
}

export async function down(knex${type})${result} {
  throw new Error('This migration cannot be undone.')
}
`
}
