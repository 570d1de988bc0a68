import { exactly } from '@steward/rest-client'
import { h, render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, it, vi } from 'vitest'
import type { Listener } from './changes.js'
import { useLiveRows, type LiveRowsOptions } from './use-live-rows.js'

const page = vi.hoisted(() => ({ hear: (() => {}) as Listener, asked: [] as unknown[] }))

vi.mock('./changes.js', () => ({
  useChanges(listener: Listener) {
    page.hear = listener
  },
}))
vi.mock('./session.js', () => ({
  client: {
    object: () => ({
      async page({ filters }: { readonly filters: { readonly row_id: unknown } }) {
        page.asked.push(filters.row_id)
        return { records: [] }
      },
    }),
  },
}))

it('useLiveRows() of another search forgets what changed before it', async () => {
  vi.stubGlobal('document', {})
  // Nothing is put into it.
  const place = { childNodes: [], firstChild: null } as unknown as Element
  function List({ version }: { readonly version: number }) {
    useLiveRows({ metadata: { name: 'Book' }, search: {}, rows: [], version } as unknown as LiveRowsOptions)
    return null
  }
  const change = (id: string) => page.hear({ object: 'Book', row_id: id, operation: 'update' } as never)
  await act(() => render(h(List, { version: 1 }), place))
  change('1')
  await act(() => render(h(List, { version: 2 }), place))
  change('2')
  await expect.poll(() => page.asked).toHaveLength(1)
  expect(page.asked).toEqual([[exactly('2')]])
  vi.unstubAllGlobals()
})
