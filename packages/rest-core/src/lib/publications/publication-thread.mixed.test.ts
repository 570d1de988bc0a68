/** @module-tag mixed */
import { expect, test } from 'vitest'
import type { RestError } from '../../errors.js'
import { makeInThread } from './publication-thread.js'
import type { DocumentRequest } from './publication.worker.js'

test(
  'makeInThread() makes several documents at the same time, each for its caller, and says why one fails',
  { tags: 'core' },
  async () => {
    const pdf = (text: string) =>
      makeInThread({ kind: 'pdf', definition: { content: [{ text }], pageMargins: 40 }, pageNumbers: true })
    const [one, wrong, sheet, two] = await Promise.all([
      pdf('one'),
      makeInThread({ kind: 'pdf', definition: { content: { image: 'nowhere.png' } }, pageNumbers: false }),
      makeInThread({
        kind: 'xlsx',
        rows: [[{ value: 1, type: 'Number' }, null]],
        options: { sheet: 'One', stickyRowsCount: 1, columns: [{ width: 12 }, { width: 12 }] },
      }),
      pdf('two'),
    ])
    const starts = [one, sheet, two].map((answer) =>
      'content' in answer ? Buffer.from(answer.content).toString('latin1', 0, 4) : answer,
    )
    expect(starts).toEqual(['%PDF', 'PK\u0003\u0004', '%PDF'])
    expect(wrong).toMatchObject({ failed: expect.stringContaining('nowhere.png') })
  },
)

/** Lays out for minutes. */
const endless: DocumentRequest = {
  kind: 'pdf',
  definition: { content: Array.from({ length: 400_000 }, (_, number) => ({ text: `Paragraph ${number}` })) },
  pageNumbers: false,
}
const short: DocumentRequest = { kind: 'pdf', definition: { content: 'short' }, pageNumbers: false }

test('makeInThread() serves another user while one asks for documents without end, and ends those that are not wanted', async () => {
  const leaving = new AbortController()
  const caller = { user: 'eve', signal: leaving.signal }
  let ended = 0
  const asked = [1, 2, 3].map(() => makeInThread(endless, caller).finally(() => ended++))
  const settled = Promise.allSettled(asked)
  expect(await makeInThread(short, { user: 'bob' })).toHaveProperty('content')
  expect(ended).toBe(0)
  leaving.abort()
  expect((await settled).map((one) => one.status === 'rejected' && (one.reason as RestError).code)).toEqual([
    'ERR_UNAVAILABLE',
    'ERR_UNAVAILABLE',
    'ERR_UNAVAILABLE',
  ])
  expect(await makeInThread(short, { user: 'eve' })).toHaveProperty('content')
})

test('makeInThread() ends a document that takes too long or too much memory, and nothing else', async () => {
  await expect(makeInThread(endless, {}, { timeoutMs: 1 })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    message: expect.stringContaining('takes longer than') as string,
  })
  await expect(makeInThread(endless, {}, { memoryMb: 80 })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    message: expect.stringContaining('memory') as string,
  })
  expect(await makeInThread(short)).toHaveProperty('content')
})
