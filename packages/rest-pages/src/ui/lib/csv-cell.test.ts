/// <reference types="node" />
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import { text as wholeText } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { escapeCell } from './csv-cell.js'

const Note = defineObject({
  name: 'Note',
  fields: { text: { type: 'text' } },
  publications: { list: { format: 'csv', scope: 'global' } },
})

/** What stands in the lines of a table with one column. */
function cells(csv: string): string[] {
  const found = csv.matchAll(/("(?:[^"]|"")*"|[^\r\n]*)\r\n/g)
  return Array.from(found, ([, cell = '']) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell))
}

it('what a spreadsheet would compute is escaped as in publications', async () => {
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
  // Latin letters, and those of full width.
  const beginnings = [...from(1, 0xff), ...from(0xff00, 0xffef)].map((code) => String.fromCodePoint(code))
  const texts = beginnings.flatMap((beginning) =>
    ['1', '1+1', '1.5', '1e5', '0x1', 'SUM(A1)', ''].map((end) => `${beginning}${end}`),
  )
  const rows = texts.map((text, at) => ({ row_id: String(at), text }))
  const service = createBusinessObjects({
    model: createModel([Note]),
    store: {
      ...createMemoryStore(),
      async *search() {
        yield rows
      },
    },
  })
  const { content } = await service.publish(systemPrincipal({ login: 'ann' }), 'Note', 'list', {})
  const page = cells(texts.map((text) => `${escapeCell(text)}\r\n`).join(''))
  const [, ...published] = cells(await wholeText(content as Readable))
  const guarded = (all: string[]) => texts.filter((text, at) => all[at] === `'${text}`)
  expect(page).toHaveLength(texts.length)
  expect(published).toHaveLength(texts.length)
  expect(guarded(page)).toEqual(guarded(published))
  for (const text of ['=1+1', '+1', '@SUM(A1)', '\t1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])
    expect(guarded(page)).toContain(text)
  expect(guarded(page)).not.toContain('-1')
})
