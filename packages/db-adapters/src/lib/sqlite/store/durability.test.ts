import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { createModel } from '@steward/rest-core'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { createSqliteStore } from '../../../sqlite.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const definition = { name: 'Line', fields: { code: { type: 'string', key: true }, text: { type: 'text' } } } as const
const model = createModel([definition])
const line = model.object('Line')
const select = line.select(['code'])

/** Writes until it is killed; prints the codes that were acknowledged. The package is imported as users do, so it has to be built. */
const writer = `
  import { createModel } from '@steward/rest-core'
  import { createSqliteStore } from '@steward/db-adapters/sqlite'
  const [filename, run] = process.argv.slice(1)
  const line = createModel([${JSON.stringify(definition)}]).object('Line')
  const store = createSqliteStore({ filename })
  const select = line.select(['code'])
  const text = 'text '.repeat(100)
  async function insertOnly(code) {
    await store.insert(line, { code, text }, select)
    process.stdout.write(code + '\\n')
  }
  async function insertPair(code) {
    await store.transaction(async (session) => {
      await session.insert(line, { code: code + '-1', text }, select)
      await new Promise(setImmediate)
      await session.insert(line, { code: code + '-2', text }, select)
    })
    process.stdout.write(code + '-1\\n' + code + '-2\\n')
  }
  for (let number = 0; ; number++) await Promise.all([insertOnly(run + '-' + number), insertPair(run + '-pair-' + number)])
`

/** Writes until the disk is full, then tries each kind of write. */
const untilFull = `
  import { createModel } from '@steward/rest-core'
  import { createSqliteStore } from '@steward/db-adapters/sqlite'
  const line = createModel([${JSON.stringify(definition)}]).object('Line')
  const store = createSqliteStore({ filename: process.argv[1] })
  const select = line.select(['code'])
  const text = 'text '.repeat(2_000)
  const refused = (error) => process.stdout.write('refused ' + error.code + '\\n')
  for (let number = 0; ; number++) {
    const code = 'c' + number
    const record = await store.insert(line, { code, text }, select).catch(refused)
    if (!record.row_id) break
    process.stdout.write(record.code + '\\n')
  }
  await store.update(line, '1', { text: text + text }, { select }).catch(refused)
  await store.transaction(async (session) => {
    for (let number = 0; number < 10; number++) await session.insert(line, { code: 't' + number, text }, select)
  }).catch(refused)
  process.exit(0)
`

describe('createSqliteStore() keeps what it acknowledged', () => {
  test('when the process is killed while it writes', async () => {
    const filename = join(folder, 'killed.db')
    const first = createSqliteStore({ filename })
    await first.sync(model)
    await first.close()
    const acknowledged = new Set<string>()
    for (const [round, lines] of [50, 400, 1_200].entries()) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer, filename, `run${round}`], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      let seen = 0
      for await (const code of createInterface(child.stdout)) {
        acknowledged.add(code)
        if (++seen === lines) child.kill('SIGKILL')
      }
      expect(await ended).toStrictEqual([null, 'SIGKILL'])
    }

    const store = createSqliteStore({ filename })
    const found = new Set<string>()
    for await (const batch of store.search(line, { select, order: line.order }))
      for (const { code } of batch) found.add(code as string)
    expect([...acknowledged].filter((code) => !found.has(code))).toStrictEqual([])
    const halves = [...found].filter((code) => code.endsWith('-1') && !found.has(code.replace(/1$/, '2')))
    expect(halves).toStrictEqual([])
    expect(await store.insert(line, { code: 'after' }, select)).toMatchObject({ code: 'after' })
    await store.close()
    const database = new Database(filename)
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    database.close()
  })

  test('in the file itself, moved there from the log by another thread while writing continues', async () => {
    const filename = join(mkdtempSync(join(folder, 'log-')), 'log.db')
    const store = createSqliteStore({ filename })
    await store.sync(model)
    const size = statSync(filename).size
    // Ends when the file has grown although writing did not stop: the time limit of the test is the other way out.
    for (let number = 0; statSync(filename).size <= size; number++) {
      await store.insert(line, { code: `c${number}`, text: 'x'.repeat(2_000) }, select)
      if (number % 50 === 0) await setImmediate()
    }
    await store.close()
  })

  test('and nothing else when the disk is full', async () => {
    const filename = join(folder, 'full.db')
    const first = createSqliteStore({ filename })
    await first.sync(model)
    await first.close()
    // A limit on the size of files stands for the disk; without the signal it comes with, writes fail.
    const command = `trap '' XFSZ; ulimit -f 2000; exec "$0" "$@"`
    const child = spawn('sh', ['-c', command, process.execPath, '--input-type=module', '-e', untilFull, filename], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const lines: string[] = []
    for await (const text of createInterface(child.stdout)) lines.push(text)
    expect(await ended).toStrictEqual([0, null])
    expect(lines.filter((text) => text.startsWith('refused'))).toStrictEqual([
      'refused unavailable',
      'refused unavailable',
      'refused unavailable',
    ])
    const acknowledged = lines.filter((text) => !text.startsWith('refused'))
    expect(acknowledged.length).toBeGreaterThan(10)

    const store = createSqliteStore({ filename })
    const found: unknown[] = []
    for await (const batch of store.search(line, { select, order: line.order }))
      found.push(...batch.map(({ code }) => code))
    expect(found).toStrictEqual(acknowledged)
    expect(await store.insert(line, { code: 'after' }, select)).toMatchObject({ code: 'after' })
    await store.close()
  })
})
