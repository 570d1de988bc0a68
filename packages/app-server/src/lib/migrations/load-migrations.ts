import { readdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { Knex } from 'knex'
import { DefinitionError } from '@steward/rest-core/errors'
import { importModule } from '../application-modules.js'
import { moduleProblem } from '../module-problem.js'

/** Whether a migration runs before or after the tables are brought in step with the definitions. */
export type MigrationTime = 'before' | 'after'

/** A file of the folder `migrations`. */
export interface Migration {
  /** That of the file, as knex records it. */
  readonly name: string
  /** Default `after`. */
  readonly when: MigrationTime
  readonly up: (knex: Knex) => Promise<void>
  readonly down: (knex: Knex) => Promise<void>
  /** As knex knows it: `transaction: false` runs the migration without one. */
  readonly config?: { readonly transaction?: boolean }
}

export const migrationFolder = 'migrations'

const moduleFile = /\.[cm]?[jt]s$/
const leftOut = /\.(?:test|d)\.[cm]?[tj]s$/
const times: readonly unknown[] = ['before', 'after'] satisfies MigrationTime[]

/**
 * Names of the migrations of an application, in the order in which they run: that of their names. Files whose name starts with
 * `_` or `.` are left out, so that migrations can share code.
 *
 * @returns undefined when the application has no such folder
 */
export async function findMigrations(folder: string): Promise<readonly string[] | undefined> {
  const place = join(folder, migrationFolder)
  const names = await readdir(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new DefinitionError([`${place} cannot be read: ${error.message}`], { cause: error })
  })
  return names?.filter((name) => moduleFile.test(name) && !leftOut.test(name) && !/^[._]/.test(name)).toSorted()
}

/** @throws DefinitionError with what is wrong with each of the files */
export async function loadMigrations(folder: string, names: readonly string[]): Promise<Migration[]> {
  const problems: string[] = []
  const migrations: Migration[] = []
  for (const [at, name] of names.entries()) {
    const before = names[at - 1]
    if (before !== undefined && parse(before).name === parse(name).name)
      problems.push(`${join(folder, migrationFolder, name)}: ${before} is the same migration. Remove one of them.`)
    try {
      migrations.push(await loadMigration(folder, name))
    } catch (error) {
      problems.push(...(DefinitionError.is(error) ? error.messages : [String(error)]))
    }
  }
  if (problems.length > 0) throw new DefinitionError(problems)
  return migrations
}

async function loadMigration(folder: string, name: string): Promise<Migration> {
  const file = join(folder, migrationFolder, name)
  const module = await importModule(file).catch(async (error: unknown) => {
    throw new DefinitionError([await moduleProblem(file, error)], { cause: error })
  })
  // Those of CommonJS that Node does not see by name are in the default export.
  const {
    up,
    down,
    when = 'after',
    config,
  } = { ...(module.default as object | undefined), ...module } as Partial<Migration>
  if (typeof up !== 'function')
    throw new DefinitionError([`${file}: it exports no function "up"; write export async function up(knex) { … }`])
  if (down !== undefined && typeof down !== 'function')
    throw new DefinitionError([`${file}: "down" is not a function; write export async function down(knex) { … }`])
  if (!times.includes(when))
    throw new DefinitionError([`${file}: "when" is ${JSON.stringify(when)}; write 'before' or 'after'.`])
  return { name, when, up, down: down ?? (() => refuse(file)), ...(config && { config }) }
}

async function refuse(file: string): Promise<never> {
  throw new DefinitionError([`${file}: it exports no function "down", so it cannot be undone.`])
}
