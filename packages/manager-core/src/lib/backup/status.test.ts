import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { forgetBackup, tidyFolder } from './remove-backup.js'
import { changeStatus, isStatusOfDead, readStatus } from './status.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-status-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** No process has it: Linux gives none above 4194304. */
const dead = 4_194_305
const part = (backup: string, pid: number) => `.${backup}.status.json.${pid}.part`
const write = (name: string) => writeFileSync(join(folder, name), '{"veri')

test('isStatusOfDead() knows the notes of killed processes from those of living ones and from all else', () => {
  expect(isStatusOfDead(part('a', dead))).toBe(true)
  expect(isStatusOfDead(part('a', process.pid))).toBe(false)
  expect(isStatusOfDead('.a.status.json')).toBe(false)
  expect(isStatusOfDead('a.part')).toBe(false)
})

test('forgetBackup() removes half a note about the backup, and nothing of another one', async () => {
  for (const name of [part('a', dead), part('a', process.pid), part('ab', dead)]) write(name)
  await changeStatus(join(folder, 'a'), () => ({ verified: { at: '2026-11-22T00:00:00.000Z' } }))
  // Its own note was made whole.
  expect(existsSync(join(folder, part('a', process.pid)))).toBe(false)
  await forgetBackup(join(folder, 'a'))
  expect(readdirSync(folder)).toEqual([part('ab', dead)])
})

test('tidyFolder() removes half a note whose process was killed, and keeps the whole one', async () => {
  mkdirSync(join(folder, 'a'))
  await changeStatus(join(folder, 'a'), () => ({ proved: { at: '2026-11-22T00:00:00.000Z', seconds: 3 } }))
  for (const name of [part('a', dead), part('b', process.ppid)]) write(name)
  await tidyFolder(folder, new Date('2026-11-22T00:00:00.000Z'))
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([part('b', process.ppid)])
  expect((await readStatus(join(folder, 'a'))).proved?.seconds).toBe(3)
})
