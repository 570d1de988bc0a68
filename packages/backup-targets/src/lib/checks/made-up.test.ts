import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalTarget } from '../local/target.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget } from '../target.js'
import { cutPlan, cutUpload, madeUpBytes } from './made-up.js'

it('cutUpload() cuts when the target has reported what arrived, however late', async () => {
  const path = mkdtempSync(join(tmpdir(), 'steward-cut-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  const local = createLocalTarget({ path })
  const { size, arrived } = cutPlan(local.capabilities)
  let reported = 0
  const late: BackupTarget = {
    ...local,
    async put(_key, source, { onProgress } = {}) {
      const report = sleep(100).then(() => onProgress?.((reported = arrived)))
      try {
        for await (const _chunk of await source.open(0));
      } catch (error) {
        throw new TargetError('ERR_TARGET_FAILED', `After ${reported} bytes ${String(error)}`)
      } finally {
        await report
      }
      throw new Error('The source was not cut.')
    },
  }
  const { message } = await cutUpload(late, 'cut', madeUpBytes(size))
  expect(message).toBe(`After ${arrived} bytes Error: the source was cut`)
})
