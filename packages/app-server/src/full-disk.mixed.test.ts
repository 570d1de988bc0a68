/** @module-tag mixed */
import { execFileSync } from 'node:child_process'
import { openSync, closeSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder, shopFiles, startApp } from './running-app-for-test.js'

const soon = { timeout: 60_000 }

/** What hooks print is lost, too. */
const files = {
  ...shopFiles,
  'app.yaml': 'name: shop\nversion: 1.0.0\n',
  'objects/loud.ts': `
export const Loud = {
  name: 'Loud',
  fields: { lou_name: { type: 'string', key: true } },
  hooks: {
    preCreate() { throw new Error('z'.repeat(100_000)) },
    postSearch() { console.log('printed'); console.error('printed') },
  },
}
`,
}

async function start(errorsTo: number) {
  const { folder, remove } = await makeFolder(files)
  onTestFinished(remove)
  const app = await startApp([folder], { errorsTo, env: { STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' } })
  onTestFinished(() => app.end().then(() => {}))
  const headers = { Authorization: `Basic ${Buffer.from('admin:s3cret-passw0rd').toString('base64')}` }
  const statuses = (times: number) =>
    Promise.all(
      Array.from({ length: times }, () =>
        fetch(`${app.origin}/api/rest/Loud`, { headers }).then(({ status }) => status),
      ),
    )
  return { app, statuses, headers }
}

test('a line that is longer than what may wait is written where there is room', { tags: 'core' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-line-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log')
  const file = openSync(log, 'a')
  onTestFinished(() => closeSync(file))
  const { app, headers } = await start(file)
  const body = JSON.stringify({ lou_name: 'a' })
  const sent = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }
  expect((await fetch(`${app.origin}/api/rest/Loud`, sent)).status).toBe(500)
  await expect.poll(() => readFileSync(log, 'utf8').includes('z'.repeat(100_000)), soon).toBe(true)
})

test('a log that can never be written keeps no request from its answer', { tags: 'core' }, async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const { app, statuses } = await start(full)
  expect(await statuses(3)).toEqual([200, 200, 200])
  expect(await app.end()).toBe(0)
})

test('a log on a full disk continues when there is room, and says how much of it was lost', async ({ skip }) => {
  const disk = mkdtempSync(join(tmpdir(), 'steward-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    rmSync(disk, { recursive: true })
    return skip('a small disk can only be mounted by root')
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true })
  })
  const log = join(disk, 'log')
  const file = openSync(log, 'a')
  onTestFinished(() => closeSync(file))
  const { statuses } = await start(file)
  expect(() => writeFileSync(join(disk, 'full'), Buffer.alloc(2_000_000))).toThrow('ENOSPC')
  for (let round = 0; round < 5; round++) expect(new Set(await statuses(100))).toEqual(new Set([200]))
  rmSync(join(disk, 'full'))
  await expect
    .poll(async () => {
      await statuses(1)
      return /\d+ lines of the log could not be written, and are lost/.test(readFileSync(log, 'utf8'))
    }, soon)
    .toBe(true)
  return undefined
})
