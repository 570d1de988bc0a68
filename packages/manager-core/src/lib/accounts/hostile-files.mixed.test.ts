/**
 * @module-tag mixed
 * @module-tag continued
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createArchive, serverSources } from '../download/create-archive.js'
import { closeWithAccounts } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { fakeApplicationServer } from '../testing/fake-application.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { accountAt, asAccount } from './account.js'

const isHere = canUseAccounts(import.meta.url)

describe.runIf(isHere)('files that an instance makes', () => {
  let test: TestManager
  let server: string
  beforeAll(async () => {
    server = smallServer()
    test = await createTestManager({
      applicationServer: join(server, 'dist', 'cli.js'),
      config: ['export APPS_ISOLATION=yes', 'export APPS_HEALTHWINDOW=1'],
    })
    chmodSync(test.folder, 0o711)
    for (const name of ['demo', 'other']) await test.perform('add', { name, 'no-start': true })
  }, 60_000)
  afterAll(async () => {
    await closeWithAccounts(test)
    rmSync(server, { recursive: true })
  }, 60_000)

  /** The program and arguments as which an instance runs a script in its folder. */
  const asInstance = (name: string, script: string, ...args: readonly string[]) => {
    const [program, before] = asAccount(accountAt(test.path(name)), '/bin/sh')
    return [program, [...before, '-c', `cd "$0" && ${script}`, test.path(name), ...args]] as const
  }
  const runAs = (name: string, script: string, ...args: readonly string[]) => {
    const [program, all] = asInstance(name, script, ...args)
    execFileSync(program, all, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' })
  }
  const request = (url: string) =>
    `${JSON.stringify({ time: 1_700_000_000_000, status: 200, url, address: '10.0.0.1', msg: 'request' })}\n`
  const pathsOf = async (name: string) => {
    const { item } = await test.perform('accesslogs', { name })
    return (item as unknown as { paths: { name: string }[] }).paths.map((one) => one.name)
  }

  it("accesslogs reads no log of another instance, waits for no pipe, and counts what is the instance's own", async () => {
    runAs('other', 'printf %s "$1" > logs/application.log', request('/of-the-other'))
    const lines = [request('/own'), `{${'x'.repeat(200_000)}`, '\n', request('/after-a-long-line')].join('')
    runAs('demo', 'printf %s "$1" > logs/application.log', request('/newest'))
    writeFileSync(join(test.folder, 'lines'), lines, { mode: 0o644 })
    runAs('demo', 'cp "$1" logs/application.log.1', join(test.folder, 'lines'))
    const places = ['logs/application.log.2', test.path('other', 'logs', 'application.log')]
    runAs('demo', 'ln -s "$2" "$1"', ...places)
    // A hard link needs no right to read, where the kernel allows it.
    runAs('demo', 'ln "$1" logs/application.log.3 2>/dev/null || true', places[1] as string)
    runAs(
      'demo',
      'mkfifo logs/application.log.4 && ln -s /dev/zero logs/application.log.5 && mkdir logs/application.log.6',
    )
    // More calls than there are threads that could wait.
    const reading = Promise.all(Array.from({ length: 8 }, () => pathsOf('demo')))
    const { list = [] } = await test.perform('list')
    for (const paths of await reading) expect(paths.toSorted()).toEqual(['/after-a-long-line', '/newest', '/own'])
    expect(list).toHaveLength(2)
  })

  it('accesslogs reads a large log without an end of a line in little memory', { tags: 'core' }, async () => {
    runAs(
      'demo',
      'rm -rf logs/* && truncate -s 600M logs/application.log && printf %s "$1" > logs/application.log.1',
      request('/own'),
    )
    const before = process.memoryUsage.rss()
    expect(await pathsOf('demo')).toEqual(['/own'])
    expect(process.memoryUsage.rss() - before).toBeLessThan(200e6)
    // No more than the newest bytes count.
    runAs('demo', 'truncate -s 1T logs/application.log')
    expect(await pathsOf('demo')).toEqual([])
    runAs('demo', 'rm -rf logs/*')
  })

  it('accesslogs takes lines with any values', async () => {
    const bad = [{ time: 1e300 }, { time: -1e16 }, { status: 1e300 }, { status: -5 }, { time: null }].map((one) =>
      JSON.stringify({ time: 1, status: 200, url: '/bad', address: 'x', msg: 'request', ...one }),
    )
    runAs('demo', 'printf "%s\\n" "$@" > logs/application.log', ...bad, request('/own').trim())
    expect(await pathsOf('demo')).toEqual(['/own'])
    runAs('demo', 'rm -rf logs/*')
  })

  it('purge removes nothing outside the trash, whatever an instance puts in the place of a folder meanwhile', async () => {
    const victim = join(test.home, 'victim')
    mkdirSync(victim, { mode: 0o700 })
    const names = Array.from({ length: 1000 }, (_, at) => `file-${at}`)
    for (const name of names) writeFileSync(join(victim, name), '')
    runAs('demo', 'mkdir -p data/d/x && cd data/d/x && touch $(seq -f file-%.0f 0 999)')
    await test.perform('save', { name: 'demo' })
    const swaps = `
      const { renameSync, symlinkSync, unlinkSync } = require('fs')
      const tryTo = (work) => { try { work() } catch (error) { return error.code } }
      process.stdout.write('here')
      for (let count = 0; count < 1e6; count++) {
        if (tryTo(() => renameSync('x', 'y')) !== undefined && count > 0) process.exit()
        tryTo(() => symlinkSync(process.argv[1], 'x'))
        tryTo(() => unlinkSync('x'))
        tryTo(() => renameSync('y', 'x'))
      }`
    // It has left its session, and keeps the folder open over the restore.
    const [program, all] = asInstance(
      'demo',
      'cd data/d && read go && exec "$@"',
      process.execPath,
      '-e',
      swaps,
      victim,
    )
    const attacker = spawn(program, all, { stdio: ['pipe', 'pipe', 'inherit'], detached: true, cwd: '/' })
    const ended = once(attacker, 'exit')
    try {
      await test.perform('restore', { name: 'demo' })
      const { list = [] } = await test.perform('trash')
      const [{ entry }] = list as unknown as [{ entry: string }]
      attacker.stdin.end('go\n')
      await once(attacker.stdout, 'data')
      // It may find that folders are not empty.
      await test.perform('purge', { entry }).catch(() => undefined)
      attacker.kill('SIGKILL')
      await ended
      expect(readdirSync(victim)).toHaveLength(names.length)
      if (existsSync(join(test.context.home.trash, entry))) await test.perform('purge', { entry })
      expect(readdirSync(test.context.home.trash)).toEqual([])
    } finally {
      attacker.kill('SIGKILL')
    }
  })

  it(
    'download packs nothing that the application names in a package of its own',
    { tags: 'core', timeout: 60_000 },
    async () => {
      const secret = 'TOP-SECRET'
      // From the folder of the package up to the manager's home, and to the root.
      const ups = Array.from({ length: 20 }, (_, at) => '../'.repeat(at + 1))
      const files = ups.flatMap((up) => [`${up}secret`, `${up}${join(test.home, 'secret')}`])
      writeFileSync(join(test.home, 'secret'), secret, { mode: 0o600 })
      const json = JSON.stringify({ name: '@steward/app-server', version: '1.0.0', files })
      const at = 'data/pkg/nm/@steward/app-server'
      runAs('demo', `mkdir -p ${at}/dist && printf %s "$1" > ${at}/package.json && echo > ${at}/dist/cli.js`, json)
      const toggle = `
      const { symlinkSync, unlinkSync } = require('fs')
      const tryTo = (work) => { try { work() } catch {} }
      process.stdout.write('here')
      for (;;) {
        tryTo(() => symlinkSync('../data/pkg/nm', 'app/node_modules'))
        tryTo(() => unlinkSync('app/node_modules'))
      }`
      const [program, all] = asInstance('demo', 'exec "$@"', process.execPath, '-e', toggle)
      const attacker = spawn(program, all, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' })
      const ended = once(attacker, 'exit')
      try {
        await once(attacker.stdout, 'data')
        const place = { context: test.context, instance: test.instance('demo') }
        for (let count = 0; count < looks; count++)
          for (const source of serverSources(place).flatMap((one) => ('source' in one ? [one.source] : [])))
            expect(source.startsWith(server), source).toBe(true)
        const content = await archived(createArchive(place.context, place.instance, 'all'))
        expect(content.includes(secret)).toBe(false)
      } finally {
        attacker.kill('SIGKILL')
        await ended
        runAs('demo', 'rm -rf app/node_modules data/pkg')
      }
    },
  )
})

/** One of some dozens was enough. */
const looks = 1000

/** A package with an application server and no others: that of the sources would make each archive a large one. */
function smallServer(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-server-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{"name":"@steward/app-server","version":"0.0.0","type":"module"}')
  writeFileSync(join(folder, 'dist', 'cli.js'), `await import(${JSON.stringify(fakeApplicationServer)})\n`)
  return folder
}

/** The bytes of all files of an archive. */
async function archived(archive: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return buffer(Readable.from(archive).pipe(createGunzip()))
}
