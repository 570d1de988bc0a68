import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import { createRealManager } from '../testing/real-manager.js'

const rules = fileURLToPath(new URL('../../../../../examples/anonymise/rules.yaml', import.meta.url))

interface Contact {
  readonly row_id: string | number
  readonly con_email: string
  readonly con_lastname: string
  readonly con_company_id: string | number | null
}

const contacts = 'select row_id, con_email, con_lastname, con_company_id from contact order by row_id'

needs('postgresql', (url) => {
  test('an anonymised clone may have another type of database than its source', async () => {
    const manager = await createRealManager(url)
    onTestFinished(() => manager.close())
    const { perform, path, context } = manager
    await perform('add', { name: 'demo' })
    const file = new DatabaseSync(path('demo', 'data', 'database.db'), { readOnly: true })
    const before = file.prepare(contacts).all() as unknown as Contact[]
    file.close()
    await perform('clone', { name: 'demo', new: 'test', database: 'postgresql', anonymise: rules, 'no-start': true })
    const account = context.databases.account(path('test'), await context.settings.instance(path('test')))
    const client = new pg.Client(context.databases.server('postgresql').url(account))
    await client.connect()
    const { rows: after } = await client.query<Contact>(contacts).finally(() => client.end())

    const linksOf = (rows: readonly Contact[]) => rows.map((one) => [Number(one.row_id), Number(one.con_company_id)])
    expect(linksOf(after)).toEqual(linksOf(before))
    for (const [at, contact] of after.entries()) {
      expect(contact.con_email).toMatch(/^[a-z]+\.[a-z2-7]{10}@example\.org$/)
      expect(contact.con_lastname).not.toBe(before[at]?.con_lastname)
    }
    expect((await perform('get', { name: 'test' })).item).toMatchObject({ database: 'postgresql', neutralised: 'yes' })
    for (const name of ['test', 'demo']) await perform('delete', { name, purge: true })
  }, 240_000)
})
