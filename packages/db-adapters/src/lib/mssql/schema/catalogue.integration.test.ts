import { createStore } from '../../../index.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, needs, type FreshDatabase } from '../../../../../../tests/servers/index.js'
import { openMssql } from '../../../../../../tests/servers/mssql.js'

needs('mssql', (url) => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await freshDatabase(url)
    const { rows, close } = await openMssql(database.url)
    await rows('create table person (id int primary key, name nvarchar(50), mail nvarchar(50))')
    const say = (comment: string, column?: string) =>
      rows(
        `exec sp_addextendedproperty N'MS_Description', N'${comment}', N'SCHEMA', N'dbo', N'TABLE', N'person'` +
          (column === undefined ? '' : `, N'COLUMN', N'${column}'`),
      )
    await say('People')
    await say('First and last name, as in the passport.', 'name')
    await rows(
      `exec sp_addextendedproperty N'Other', N'said', N'SCHEMA', N'dbo', N'TABLE', N'person', N'COLUMN', N'mail'`,
    )
    await close()
  })
  afterAll(() => database?.drop())

  it('introspect() makes labels and help of descriptions', async () => {
    const store = await createStore(database.url)
    const { objects } = await store.introspect()
    await store.close()
    expect(objects).toMatchObject([
      { table: 'person', label: 'People', fields: { name: { help: 'First and last name, as in the passport.' } } },
    ])
    expect(objects[0]?.fields['mail']).not.toHaveProperty('label')
  })
})
