import { createModel } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { onEachServer } from '../../../test/server-stores.js'

onEachServer((database) => {
  it('rows of a table whose ids the database does not assign are created with the id of the request', async () => {
    await database.admin.rows('create table country (code char(2) primary key, title varchar(20) not null)')
    await database.admin.rows(
      'create table employee (no int primary key, country char(2), foreign key (country) references country (code))',
    )
    const store = database.store()
    const model = createModel((await store.introspect()).objects)
    const [country, employee] = [model.object('Country'), model.object('Employee')]

    expect(await store.insert(country, { row_id: 'FR', title: 'France' }, country.selection)).toStrictEqual({
      row_id: 'FR',
      title: 'France',
    })
    const record = { row_id: '7', country: 'FR', country__title: 'France' }
    expect(await store.insert(employee, { row_id: '7', country: 'FR' }, employee.selection)).toStrictEqual(record)
    expect(await store.get(employee, '7', { select: employee.selection })).toStrictEqual(record)
    expect(await store.count(employee, { op: '=', field: 'country__title', value: 'France' })).toBe(1)
  })

  it('an id that a default gives is known after the insert', async ({ skip }) => {
    if (database.name === 'mysql') return skip('an insert on MySQL tells numbers from auto_increment only')
    const id = database.name === 'mssql' ? 'uniqueidentifier default newid()' : 'uuid default gen_random_uuid()'
    await database.admin.rows(`create table token (id ${id} primary key, t varchar(20))`)
    const store = database.store()
    const token = createModel((await store.introspect()).objects).object('Token')
    const { row_id } = await store.insert(token, { t: 'x' }, token.selection)
    expect(row_id).toMatch(/^[0-9a-f-]{36}$/i)
    expect(await store.get(token, row_id, { select: token.selection })).toStrictEqual({ row_id, t: 'x' })
  })
})
