import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager } from '../testing/create-test-manager.js'
import { testInstance } from '../testing/made-up-operation.js'
import { runProgram } from '../testing/run-program.js'
import { openRegistry, type NewHistoryEntry, type Registry } from './registry.js'
import { sqlite } from './sqlite.js'

let folder: string
let file: string
let registry: Registry | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-registry-'))
  file = join(folder, 'manager.db')
})

afterEach(() => {
  registry?.close()
  registry = undefined
  rmSync(folder, { recursive: true, force: true })
})

const open = (clock?: () => Date) => (registry = openRegistry({ file, ...(clock && { clock }) }))
const entry: NewHistoryEntry = {
  ...{ at: '', actor: 'a', surface: 'cli', action: 'start', instanceId: 'ademo', instance: 'demo', parameters: {} },
  ...{ result: 'ok', message: '', operation: '', duration: 1 },
}

describe('openRegistry()', () => {
  it('is created once and filled by eight processes at the same time', async () => {
    const programs = Array.from({ length: 8 }, (_, n) => runProgram('./fill-registry.ts', [file, n * 20, 20]))
    await Promise.all(programs)
    const all = open().instances()
    expect(all).toHaveLength(160)
    expect(new Set(all.map(({ port }) => port)).size).toBe(160)
    expect(registry?.[sqlite].prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  })

  it('creates files that no other user can read', () => {
    open().transaction((writer) => writer.insertInstance(testInstance({})))
    expect(['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  })

  it('refuses one of a newer manager', () => {
    open()[sqlite].exec('pragma user_version = 99')
    expect(() => openRegistry({ file })).toThrow(
      expect.objectContaining({ code: 'ERR_STATE', message: expect.stringContaining('newer version of the manager') }),
    )
  })

  it.each([
    ['has another content', () => writeFileSync(file, 'This is no database, but text.'.repeat(100)), 'is damaged'],
    ['is a folder', () => mkdirSync(file), 'EISDIR'],
  ])('says so when the file %s', (_what, make, message) => {
    make()
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'ERR_FAILED', message: expect.stringContaining(message) }),
    )
  })

  it('says so when pages of it were overwritten', () => {
    const filled = open()
    filled.transaction((writer) => {
      for (let n = 0; n < 200; n++) writer.insertInstance(testInstance({ id: `i${n}`, name: `name${n}`, port: n }))
    })
    filled.close()
    const database = new DatabaseSync(file)
    database.exec('pragma journal_mode = delete')
    const size = Number(database.prepare('pragma page_size').get()?.['page_size'])
    database.close()
    writeFileSync(file, Buffer.alloc(statSync(file).size - size, 7), { flag: 'r+' })
    expect(() => open().instances()).toThrow(expect.objectContaining({ code: 'ERR_FAILED' }))
  })

  it('says so when it is gone although there are instances', async () => {
    const test = await createTestManager({ refresh: false })
    try {
      mkdirSync(join(test.home, 'instances', 'ademo'), { recursive: true })
      expect(() => test.context.registry).toThrow(
        expect.objectContaining({ code: 'ERR_HOME', message: expect.stringContaining('manager.db is missing') }),
      )
    } finally {
      await test.close()
    }
  })
})

describe('registry', () => {
  it('keeps names unique without regard to case, and ports', () => {
    const { transaction, find } = open()
    const insert = (values: object) => transaction((writer) => writer.insertInstance(testInstance(values)))
    insert({ name: 'Demo' })
    expect(() => insert({ id: 'b', name: 'dEMO', port: 1 })).toThrow(
      expect.objectContaining({ code: 'ERR_NAME_TAKEN' }),
    )
    expect(() => insert({ id: 'b', name: 'other' })).toThrow(expect.objectContaining({ code: 'ERR_LIMIT' }))
    expect(find('DEMO')).toMatchObject({ name: 'Demo', protected: false })
  })

  it('does all of a transaction or nothing', () => {
    const { transaction, count } = open()
    expect(() =>
      transaction((writer) => {
        writer.insertInstance(testInstance({}))
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(count()).toBe(0)
    expect(() => transaction(() => transaction(() => undefined))).toThrow('within a transaction')
    transaction((writer) => writer.insertInstance(testInstance({})))
    expect(count()).toBe(1)
  })

  it('keeps the order of the history when the clock is set back', () => {
    const { transaction, history } = open()
    const times = ['2026-11-21T12:00:00.000Z', '2026-11-21T11:00:00.000Z', '2020-01-01T00:00:00.000Z']
    for (const at of times) transaction((writer) => writer.addHistory({ ...entry, at }))
    expect(history().map(({ at }) => at)).toEqual(times)
    expect(history({ limit: 2 }).map(({ at }) => at)).toEqual(times.slice(1))
    expect(history({ instance: 'other' })).toEqual([])
  })
})
