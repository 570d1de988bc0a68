import { createModel } from '@steward/rest-core'
import { describe, expect, it } from 'vitest'
import { planViews } from './plan-views.js'
import type { Catalogue } from './dialect.js'
import type { TableInfo } from './table-info.js'

const fields = { total: { type: 'integer' } } as const
const model = createModel([{ name: 'Sums', view: ' select 1 as row_id, 2 as total ', fields }])
const catalogueOf = (...tables: object[]): Catalogue => ({
  tables: tables as TableInfo[],
  foldsTableNames: true,
  foldsColumnNames: true,
})
const view = (...columns: string[]) => ({ name: 'SUMS', kind: 'view', columns: columns.map((name) => ({ name })) })

describe('planViews()', () => {
  const [made] = planViews(model, catalogueOf(), [], 'sqlite')
  const mark = made?.kind === 'createView' ? made.mark : ''

  it('makes a view that is not there, once', () => {
    expect(made).toMatchObject({ kind: 'createView', table: 'sums', query: 'select 1 as row_id, 2 as total' })
    expect(planViews(model, catalogueOf(view('row_id', mark.toUpperCase())), [], 'sqlite')).toStrictEqual([])
  })

  it('makes a view of another query again, also when only its table changes', () => {
    const again = [{ kind: 'dropView', table: 'sums' }, made]
    expect(planViews(model, catalogueOf(view('row_id', 'stw_view_of_before')), [], 'sqlite')).toStrictEqual(again)
    const drop = { kind: 'dropColumn', table: 'other', column: 'x' } as const
    expect(planViews(model, catalogueOf(view('row_id', mark)), [drop], 'sqlite')).toStrictEqual(again)
  })

  it('refuses to replace a view that sync has not made', () => {
    expect(() => planViews(model, catalogueOf(view('row_id', 'total')), [], 'sqlite')).toThrow(
      'Object "Sums" asks for a view "sums", but there is a view that sync has not made of that name.',
    )
  })
})
