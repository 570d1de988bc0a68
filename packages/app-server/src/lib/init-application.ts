import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { writeEditorFiles } from './editor-files.js'
import { SettingsError } from './settings.js'

/**
 * Writes a small application that runs as it is: one object with an action, a test of it, and what npm, editors and
 * `tsc` need.
 *
 * @param folder is made if missing; only Git's folder may be in it.
 * @returns what was written and what to do next, for people.
 * @throws SettingsError when something is in the folder, which then stays as it is.
 */
export async function initApplication(folder: string): Promise<string> {
  const place = resolve(folder)
  const [found] = (await entriesOf(place)).filter((name) => name !== '.git')
  if (found !== undefined)
    throw new SettingsError(
      `${place} is not empty: it contains ${found}. Nothing was written. Give --init a new or an empty folder.`,
    )
  const name = nameFor(basename(place))
  for (const [file, text] of Object.entries(filesOf(name))) {
    await mkdir(dirname(join(place, file)), { recursive: true })
    await writeFile(join(place, file), text, { flag: 'wx' })
  }
  await writeEditorFiles(place)
  const path = relative('', place)
  const enter = path === '' ? '' : `\n  cd ${shellWord(path)}`
  return `Wrote the application "${name}" to ${place}.

Next:${enter}
  npm install     # what package.json names; not needed where app-server is installed for all folders
  npm start       # serves it, and prints its address and the first password
  npm test        # runs tests/task.ts
  npm run check   # checks definitions and types
`
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') throw new SettingsError(`${folder} is not a folder. Give --init a new or an empty folder.`)
    throw new SettingsError(`${folder} cannot be read: ${message}. Give --init a new or an empty folder.`)
  }
}

/** A name for addresses and for npm, as close to the folder's as can be. */
function nameFor(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '')
  return name === '' ? 'application' : name
}

function filesOf(name: string): Record<string, string> {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
  return {
    'app.yaml': stringify({ name, title, version: '1.0.0', environments: { test: testEnvironment } }),
    'objects/task.ts': object,
    'tests/task.ts': unitTest,
    'package.json': pretty(packageOf(name)),
    'tsconfig.json': pretty({ extends: './.steward/tsconfig.json' }),
    '.gitignore': '.steward/\ndata/\nnode_modules/\n',
  }
}

const testEnvironment = { database: 'sqlite::memory:', log: { level: 'warn' } }

function packageOf(name: string): object {
  const { version, dependencies, peerDependencies } = createRequire(import.meta.url)(
    '@steward/app-server/package.json',
  ) as { version: string; dependencies: Record<string, string>; peerDependencies: Record<string, string> }
  return {
    name,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: {
      // Where the types are is different on each machine.
      prepare: 'app-server . --types',
      start: 'app-server .',
      test: 'app-server . --unittests --env test',
      check: 'app-server . --check && app-server . --types && tsc',
    },
    dependencies: {
      '@steward/app-server': `^${version}`,
      '@steward/rest-core': dependencies['@steward/rest-core'],
      'better-sqlite3': peerDependencies['better-sqlite3'],
    },
    devDependencies: { typescript: '>=5.9' },
  }
}

const object = `import { defineObject, RestError } from '@steward/rest-core'

export const Task = defineObject({
  name: 'Task',
  fields: {
    tsk_title: { type: 'string', length: 100, required: true, label: 'Title' },
    tsk_due: { type: 'date', index: true, label: 'Due' },
    tsk_done: { type: 'boolean', label: 'Done' },
  },
  order: ['tsk_due'],
  actions: {
    finish: {
      label: 'Finish',
      async run({ service, principal, record: task }) {
        if (task?.['tsk_done'] === true) throw new RestError('ERR_VALIDATION', 'This task is done already.')
        await service.update(principal, 'Task', task?.row_id ?? '', { tsk_done: true })
        return 'Done.'
      },
    },
  },
})
`

const unitTest = `import assert from 'node:assert/strict'
import type { UnitTestContext } from '@steward/app-server'

/** Whatever a test writes is undone. */
export async function aTaskIsFinishedOnce({ service, principal }: UnitTestContext): Promise<void> {
  const { row_id: rowId } = await service.create(principal, 'Task', { tsk_title: 'Try the tests' })
  await service.action(principal, 'Task', 'finish', { rowId })
  const task = await service.get(principal, 'Task', rowId)
  assert.equal(task['tsk_done'], true)
  await assert.rejects(service.action(principal, 'Task', 'finish', { rowId }), /done already/)
}
`

function pretty(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** A path as one word of a shell, which "-" does not make an option. */
function shellWord(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
