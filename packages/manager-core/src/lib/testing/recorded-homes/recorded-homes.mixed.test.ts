/**
 * @module-tag mixed
 * @module-tag continued
 */
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DatabaseSync } from 'node:sqlite'
import { createGunzip } from 'node:zlib'
import { unpackTar } from 'modern-tar/fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokens } from '../../access/tokens.js'
import type { Input } from '../../domain/input.js'
import { jobsIn } from '../../schedule/cron-block.js'
import { jobNames } from '../../schedule/jobs.js'
import { createTestManager, type TestManager } from '../create-test-manager.js'
import { takeSnapshots, type Snapshot } from '../snapshot.js'
import { takePorts, type TakenPorts } from '../take-ports.js'
import { relocate, type RecordedHome } from './recorded-home.js'

const versions = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory())

describe.for(versions.map(({ name }) => name))('a home of version %s with commands that were killed', (version) => {
  let ports: TakenPorts
  let test: TestManager
  let recorded: RecordedHome

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-manager-'))
    const archive = join(import.meta.dirname, version, 'home.tar.gz')
    await pipeline(createReadStream(archive), createGunzip(), unpackTar(folder))
    ports = takePorts()
    relocate(folder, Number.parseInt(ports.range))
    recorded = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as RecordedHome
    const later = Date.parse(recorded.at) + 60_000 - Date.now()
    test = await createTestManager({ folder, clock: () => new Date(Date.now() + later) })
  })
  afterAll(async () => {
    await test?.close()
    ports?.release()
  })

  const listed = async (action: string, input: Readonly<Record<string, Input>> = {}) =>
    (await test.perform(action, input)).list as readonly Readonly<Record<string, unknown>>[]
  const notes = (name: string) => {
    const database = new DatabaseSync(test.path(name, 'data', 'database.db'), { readOnly: true })
    try {
      return database
        .prepare('select text from note order by id')
        .all()
        .map(({ text }) => text)
    } finally {
      database.close()
    }
  }
  const versionOf = (name: string) =>
    /version: (.*)/.exec(readFileSync(test.path(name, 'app', 'app.yaml'), 'utf8'))?.[1]

  it('is shown before anything is recovered', { tags: 'core' }, async () => {
    const early = { leavesRecovery: true } as const
    const { list } = await test.perform('operations', { limit: 1000 }, early)
    const open = (list as { readonly state: string }[]).filter(
      ({ state }) => !['succeeded', 'rolled_back'].includes(state),
    )
    expect(open).toHaveLength(recorded.killed.length)
    expect((await test.perform('status', {}, early)).item).toMatchObject({ needs_attention: [] })
    expect(await test.perform('history verify', { expect: recorded.head }, early)).toMatchObject({ exitCode: 0 })
  })

  it('has each of them undone or finished, exactly', { tags: 'core' }, async () => {
    const ends = (await test.context.operations.recover(test.caller)).map(({ state }) => state)
    expect(ends).toEqual(recorded.killed.map(({ end }) => end))
    const now = await takeSnapshots(test.context)
    expect(differences(now.alike, recorded.alike)).toEqual({})
    const exact = Object.entries(now.exact).filter(([key]) => key in recorded.exact)
    expect(differences(Object.fromEntries(exact), recorded.exact)).toEqual({})
    const places = new Set(test.context.registry.instances().map(({ runtime, host }) => `${runtime} ${host}`))
    expect([...places]).toEqual(['process 127.0.0.1'])
    const errors = (await listed('doctor')).filter(({ level }) => level === 'error')
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('at "nowhere"'),
      expect.stringContaining('Target "nowhere"'),
    ])
  })

  it('has its tokens, requests, runs and schedule', { tags: 'core' }, async () => {
    expect(createTokens(test.context).use(recorded.token)).toMatchObject({ name: 'watch', abilities: ['read'] })
    const scoped = (await listed('token list')).find(({ name }) => name === 'deploy')
    expect(scoped).toMatchObject({ abilities: 'operate', instances: 'demo' })
    expect(await listed('requests list')).toMatchObject([{ name: 'wanted', status: 'confirmed', language: 'fr' }])
    const [run] = (await listed('operations', { limit: 1000 })).filter(({ action }) => action === 'unprotect')
    expect(run).toMatchObject({ state: 'succeeded', result: { status: 0 } })
    const jobs = jobsIn(readFileSync(join(test.folder, 'crontab'), 'utf8'), test.home)
    // Analyses are scheduled on request only.
    expect(jobs.map(({ name }) => name)).toEqual(jobNames.filter((name) => name !== 'qualityall'))
  })

  it('has backups that are good to their last byte, made by programs and by Node, here and at a target', async () => {
    const backups = await test.context.backups.list()
    expect(backups.length).toBeGreaterThan(5)
    for (const backup of backups)
      expect(await test.context.backups.verify(backup, { deep: true })).toMatchObject({ depth: 'contents' })
    const codes = backups.flatMap(({ manifest }) => manifest.files.map(({ exitCodes = {} }) => Object.keys(exitCodes)))
    expect(codes).toContainEqual([])
    expect(codes).toContainEqual(['tar', 'zstd'])
    await test.perform('restore', { name: 'demo', from: 'shelf', as: 'fetched' })
    expect(notes('fetched')).toEqual(['first'])
  })

  it('continues: upgrade, rollback, save, restore, clone, rename, delete, undelete', async () => {
    await test.perform('upgrade', { name: 'early' })
    expect(versionOf('early')).toBe('1.0.1')
    await test.perform('rollback', { name: 'late' })
    expect(versionOf('late')).toBe('1.0.0')
    await test.perform('rollback', { name: 'upgraded' })
    expect(notes('upgraded')).toEqual(['first'])
    for (const name of ['ledger', 'notes']) await test.perform('save', { name })
    expect(notes('ledger')).toEqual(['first', 'new'])
    const [, oldest] = await test.context.backups.list({ name: 'ledger' })
    await test.perform('restore', { name: 'ledger', from: oldest?.manifest.id ?? '' })
    expect(notes('ledger')).toEqual(['first'])
    await test.perform('clone', { name: 'shop', new: 'shop2' })
    expect(notes('shop2')).toEqual(['first', 'new'])
    await test.perform('add', { name: 'half' })
    await test.perform('rename', { name: 'office', new: 'sales' })
    await test.perform('delete', { name: 'old' })
    await test.perform('undelete', { entry: 'gone' })
    expect(notes('gone')).toEqual(['first'])
  })

  it('makes the copy that was still wanted', async () => {
    const settings = readFileSync(test.context.home.config, 'utf8')
    const path = 'APPS_TARGET_NOWHERE_PATH=$APPS_HOME/../shelf2\n'
    mkdirSync(join(test.folder, 'shelf2'))
    writeFileSync(test.context.home.config, `${settings.replace('not-there', 'local')}${path}`)
    const [wanted] = await test.context.backups.list({ name: 'diary' })
    expect(wanted).toMatchObject({ wanted: { targets: ['nowhere'] }, copies: {} })
    const another = test.another()
    await another.perform('autosave', { name: 'diary' }, test.caller)
    const { list } = await another.perform('saveall', {}, test.caller)
    expect(list).toMatchObject(['demo', 'diary'].map((name) => ({ name, result: 'saved' })))
    const copied = await another.context.backups.find('diary', wanted?.manifest.id ?? '')
    expect(copied).toMatchObject({ wanted: undefined, copies: { nowhere: {} } })
    expect((await another.perform('checksaves', {}, test.caller)).exitCode ?? 0).toBe(0)
    expect(await another.perform('history verify', { expect: recorded.head }, test.caller)).toMatchObject({
      exitCode: 0,
    })
  })
})

/** Keys with what is and what should be; of rows of instances, columns may have come since. */
function differences(now: Snapshot, wanted: Snapshot): Record<string, unknown> {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(wanted)])]
  return Object.fromEntries(
    keys
      .filter((key) => !isSame(key, now[key], wanted[key]))
      .map((key) => [key, { now: now[key], wanted: wanted[key] }]),
  )
}

function isSame(key: string, now: string | undefined, wanted: string | undefined): boolean {
  if (now === undefined || wanted === undefined || !key.startsWith('row ')) return now === wanted
  const row = JSON.parse(now) as Record<string, unknown>
  return Object.entries(JSON.parse(wanted) as Record<string, unknown>).every(([name, value]) => row[name] === value)
}
