import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLocalTarget } from '../local/target.js'
import type { BackupTarget } from '../target.js'
import { silent, slow } from '../testing/faulty.js'
import { TargetError } from '../target-error.js'
import { checks } from './index.js'
import { probeTarget, type CheckReport, type ProbeOptions } from './probe.js'

let path: string

beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), 'steward-probe-'))
})

afterAll(() => rmSync(path, { recursive: true }))

async function probe(wrap: (target: BackupTarget) => BackupTarget, options?: ProbeOptions): Promise<CheckReport[]> {
  const reports: CheckReport[] = []
  const open = () => Promise.resolve(wrap(createLocalTarget({ path })))
  for await (const report of probeTarget(open, options)) reports.push(report)
  return reports
}

it('reports all that a good target can do, and leaves nothing', async () => {
  const reports = await probe((target) => target)
  expect(reports.map(({ name }) => name)).toEqual(checks.map(({ name }) => name))
  expect(reports.filter(({ result }) => result === 'failed')).toEqual([])
  expect(reports.find(({ name }) => name.startsWith('an interrupted upload'))?.message).toMatch(/^at byte \d+ of \d+$/)
  expect(readdirSync(path)).toEqual([])
})

it('leaves out the rest when nothing can be stored, and says why', async () => {
  const refused = new TargetError('ERR_TARGET_REFUSED', 'The password is wrong.')
  const [first, ...rest] = await probe((target) => ({ ...target, put: () => Promise.reject(refused) }))
  expect(first).toMatchObject({ result: 'failed', message: 'ERR_TARGET_REFUSED: The password is wrong.' })
  expect(rest).toHaveLength(checks.length - 1)
  expect(new Set(rest.map(({ result, message }) => `${result}: ${message}`))).toEqual(
    new Set(['skipped: nothing can be stored']),
  )
})

it('removes what a check has left that was ended', async () => {
  const controller = new AbortController()
  const stopping = (target: BackupTarget): BackupTarget => ({
    ...target,
    async put(...args) {
      const stored = await target.put(...args)
      if (readdirSync(path).length > 0) controller.abort(new Error('enough'))
      return stored
    },
  })
  await expect(probe(stopping, { signal: controller.signal })).rejects.toThrow('enough')
  expect(readdirSync(path)).toEqual([])
})

it.each([
  ['silent', (target: BackupTarget) => silent(target, { afterBytes: 1000 })],
  ['slow', (target: BackupTarget) => slow(target, 150)],
])('does not wait for ever for a store that is %s', async (_name, wrap) => {
  const [first] = await probe(wrap, { timeoutMs: 300 })
  expect(first).toMatchObject({ result: 'failed', message: 'It did not end in 0.3 s.' })
})

it('ends when it is aborted, also in the middle of a check, and leaves nothing waiting', async () => {
  const before = AbortSignal.abort(new Error('enough'))
  await expect(probe((target) => target, { signal: before })).rejects.toThrow('enough')
  const controller = new AbortController()
  let heard: AbortSignal | undefined
  const stuck = (target: BackupTarget): BackupTarget => ({
    ...target,
    put(_key, _source, options) {
      heard = options?.signal
      setTimeout(() => controller.abort(new Error('enough')), 10)
      return new Promise(() => {})
    },
  })
  await expect(probe(stuck, { signal: controller.signal })).rejects.toThrow('enough')
  expect(heard?.aborted).toBe(true)
})
