import { expect, test } from 'vitest'
import { makeInThread } from './publication-thread.js'

test('makeInThread() makes several documents at the same time, each for its caller, and says why one fails', async () => {
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
})
