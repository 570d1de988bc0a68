import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { identify } from '../system/process-identity.js'
import { createJournal } from './journal.js'
import { openRegistry, type Registry } from './registry.js'
import { sqlite } from './sqlite.js'

const clock = () => new Date()
/** A process that is not there any more. */
const dead = { ...identify(process.pid), pid: spawnSync('true').pid }

let folder: string
let registry: Registry

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-journal-'))
  registry = openRegistry({ file: join(folder, 'manager.db') })
  const request = { id: 'op1', kind: 'save', instanceId: 'ademo', instance: 'demo', title: 'Save it' }
  const rest = { actor: 'a', surface: 'cli', address: '', request: {}, facts: {}, locks: [] }
  createJournal(registry, { clock }).begin({ ...request, ...rest })
  change("state = 'running', owner = ?", JSON.stringify(dead))
})
afterEach(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Not by the journal: as another process. */
function change(set: string, ...values: string[]): void {
  registry[sqlite].prepare(`update operation set ${set} where id = 'op1'`).run(...values)
}

/** A journal in which something happens right after its first look at a row. */
function journalWith(event: () => void) {
  let isFirst = true
  const prepare = (sql: string) => {
    const statement = registry[sqlite].prepare(sql)
    const get = (id: string) => {
      const row = statement.get(id)
      if (isFirst) event()
      isFirst = false
      return row
    }
    return { all: () => statement.all(), get }
  }
  return createJournal({ [sqlite]: { prepare } as unknown as DatabaseSync }, { clock })
}

it('an operation whose process has ended is left', () => {
  const { entry, open } = createJournal(registry, { clock })
  expect(entry('op1')).toMatchObject({ state: 'running', ownerState: 'dead' })
  expect(open()).toEqual([entry('op1')])
})

it('one that is finished while it is looked at was not left', () => {
  const finish = () => change("state = 'succeeded'")
  expect(journalWith(finish).entry('op1')).toMatchObject({ state: 'succeeded' })
  change("state = 'running'")
  expect(journalWith(finish).open()).toEqual([])
})

it('one that is taken over while it is looked at was not left', () => {
  const takeOver = () => change("state = 'interrupted', owner = ?", JSON.stringify(identify(process.pid)))
  expect(journalWith(takeOver).entry('op1')).toMatchObject({ state: 'interrupted', ownerState: 'alive' })
})
