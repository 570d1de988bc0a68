import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { restoreWithTool } from './tool-dump.js'

it('restoreWithTool() of a program that is slower than the dump leaves no listeners behind', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  // More than a pipe holds, so that each one waits.
  const chunk = Buffer.alloc(256 * 1024, 'x')
  await restoreWithTool({
    call: { command: '/bin/sh', args: ['-c', 'cat >/dev/null'], environment: {} },
    content: Readable.from(Array.from({ length: 32 }, () => chunk)),
    trailer: '',
  })
  await turn()
  expect(warnings).toEqual([])
})
