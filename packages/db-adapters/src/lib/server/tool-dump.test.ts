import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { DatabaseServerError } from './database-server.js'
import { copyThrough, restoreWithTool } from './tool-dump.js'

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

it('copyThrough() says what the dump has not', async () => {
  const said: string[] = []
  const dump = { content: Readable.from(['rows']), tools: {}, warnings: ['View "x" is not in the dump: broken'] }
  const read = async (content: Readable) => void (await content.toArray())
  await copyThrough({ ...dump, done: Promise.resolve() }, read, (text) => void said.push(text))
  expect(said).toEqual(dump.warnings)
})

it('restoreWithTool() of a dump that is refused, after its program has failed, says why it is refused', async () => {
  const content = new Readable({ read: () => undefined })
  const closed = new Promise((resolve) => content.once('close', resolve))
  const restore = restoreWithTool({
    call: { command: '/bin/sh', args: ['-c', 'echo "no such table" >&2; exit 3'], environment: {} },
    content,
    // The program has ended.
    async *edit() {
      yield await closed.then(() => {
        throw new DatabaseServerError('ERR_FAILED', 'The dump has commands.')
      })
    },
    trailer: '',
  })
  await expect(restore).rejects.toThrow('The dump has commands.')
})
