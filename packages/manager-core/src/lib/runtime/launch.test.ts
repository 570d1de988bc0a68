import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { processesOf } from '../testing/end-processes.js'
import { takeTestPort } from '../testing/take-ports.js'
import { processesUnderTest } from './processes-for-test.js'

it('launch() that cannot write down whom it started fails, and leaves no process', async () => {
  const { runtime, spec: specOf, close } = await processesUnderTest()
  onTestFinished(close)
  const spec = await specOf('a', await takeTestPort(), {})
  await runtime.define(spec)
  mkdirSync(join(spec.folder, 'run', 'supervisor', 'in the way'), { recursive: true })
  await expect(runtime.start(spec)).rejects.toThrow()
  await expect.poll(() => processesOf(spec.folder)).toEqual([])
})
