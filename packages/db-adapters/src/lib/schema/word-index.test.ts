import { createModel, type ObjectDefinition } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { expect, it } from 'vitest'
import { onEachDatabase, onMysql, onSqlite, type TestDatabase } from '../../../test/schema-databases.js'
import { introspect } from './introspect.js'
import { applySync, planSync } from './sync.js'

function modelOf(table: string, more: Partial<ObjectDefinition> = {}) {
  return createModel([
    {
      name: 'Thing',
      table,
      timestamps: false,
      indexable: true,
      fields: { row_id: { type: 'id', column: 'id' }, title: { type: 'string', column: 'The Title' } },
      ...more,
    },
  ])
}

function syncOf({ connection, dialect }: TestDatabase) {
  return (model: ReturnType<typeof modelOf>) => applySync(model, connection, dialect)
}

onEachDatabase((database) => {
  const sync = (model: ReturnType<typeof modelOf>) => syncOf(database)(model)
  const plan = (model: ReturnType<typeof modelOf>) => planSync(model, database.connection, database.dialect)
  const q = (name: string): string => database.dialect.quote(name)

  it('an existing table gets a column and a full-text index, which are none of its owner’s', async () => {
    await database.script(`create table old_thing (id integer primary key, ${q('The Title')} varchar(255))`)
    const { steps } = await sync(modelOf('old_thing'))
    expect(steps).toStrictEqual([
      {
        kind: 'addColumn',
        table: 'old_thing',
        column: 'idx_words',
        description: 'add column old_thing.idx_words (words)',
        destructive: false,
      },
      {
        kind: 'addIndex',
        table: 'old_thing',
        column: 'idx_words',
        description: 'add full-text index old_thing (idx_words)',
        destructive: false,
      },
    ])
    expect(await plan(modelOf('old_thing'))).toStrictEqual({ steps: [], leftover: [] })

    const { objects, skipped } = await introspect(database.connection, database.dialect)
    expect(objects.map(({ table, fields }) => [table, Object.keys(fields)])).toStrictEqual([
      ['old_thing', ['row_id', 'the_title']],
    ])
    expect(skipped).toStrictEqual([
      { table: 'old_thing', column: 'idx_words', reason: 'it holds the words of an index search' },
    ])

    const plain = await sync(modelOf('old_thing', { indexable: false }))
    expect(plain.steps.map(({ description }) => description)).toStrictEqual([
      expect.stringMatching(/^drop full-text index stw_ft_\w+ of old_thing$/),
    ])
    expect(await plan(modelOf('old_thing', { indexable: false }))).toStrictEqual({ steps: [], leftover: [] })
  })

  it('names may hold quotes, and be as long as they can', async () => {
    const table = `od'd "${'x'.repeat(40)}`
    const fields = { title: { type: 'string' } } as const
    const model = modelOf(table, { fields })
    const { steps } = await sync(model)
    expect(steps.map(({ kind }) => kind)).toContain('addIndex')
    expect(await plan(model)).toStrictEqual({ steps: [], leftover: [] })
    await sync(modelOf(table, { fields, indexable: false }))
  })
})

onSqlite((database) => {
  it('triggers that were dropped are created again, with the index', async () => {
    await database.script('create table lost (id integer primary key, "The Title" text)')
    await syncOf(database)(modelOf('lost'))
    await database.connection.run(`insert into lost (id, "The Title", idx_words) values (1, 'a', 'a')`)
    await database.connection.run('drop trigger stw_ft_lost_words_i')
    await database.connection.run(`insert into lost (id, "The Title", idx_words) values (2, 'b', 'b')`)
    const { steps } = await syncOf(database)(modelOf('lost'))
    expect(steps.map(({ kind }) => kind)).toStrictEqual(['addIndex'])
    const found = await database.rows(`select rowid from stw_ft_lost_words where stw_ft_lost_words match 'b'`)
    expect(found.map(({ rowid }) => Number(rowid))).toStrictEqual([2])
    await database.connection.run(
      `insert into stw_ft_lost_words (stw_ft_lost_words, rank) values ('integrity-check', 1)`,
    )
  })

  it.each([
    ['create table bare (id integer primary key, "The Title" text) without rowid', 'bare', 'it has no rowid'],
    ['create table hides (id integer, "The Title" text, rowid text)', 'hides', 'its column "rowid" hides the rowid'],
  ])('%s is refused', async (sql, table, reason) => {
    await database.script(sql)
    const refused = syncOf(database)(modelOf(table))
    await expect(refused).rejects.toThrow(StoreError)
    await expect(refused).rejects.toThrow(`Table "${table}" cannot have an index of words: ${reason}.`)
  })
})

onMysql((database) => {
  it('a table of another engine is refused', async () => {
    await database.script('create table my_isam (id bigint primary key, `The Title` varchar(100)) engine = MyISAM')
    await expect(syncOf(database)(modelOf('my_isam'))).rejects.toThrow('its engine is not InnoDB')
  })
})
