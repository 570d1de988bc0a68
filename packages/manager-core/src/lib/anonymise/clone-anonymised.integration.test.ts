import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import { authorizationOf, createRealManager } from '../testing/real-manager.js'

const rules = fileURLToPath(new URL('../../../../../examples/anonymise/rules.yaml', import.meta.url))

needs('postgresql', (url) => {
  test('anonymised clones may have another type of database than their source, from a server and to one', async () => {
    const manager = await createRealManager(url)
    onTestFinished(() => manager.close())
    const { perform, instance } = manager
    const contactsOf = async (name: string) => {
      const address = `http://127.0.0.1:${instance(name).port}/api/rest/Contact?_order=row_id`
      const response = await fetch(address, { headers: { Authorization: await authorizationOf(manager, name) } })
      return (await response.json()) as readonly Record<string, string>[]
    }
    await perform('add', { name: 'demo' })
    const before = await contactsOf('demo')
    const anonymised = { anonymise: rules, 'no-start': true }
    await perform('clone', { name: 'demo', new: 'server', database: 'postgresql', ...anonymised })
    await perform('delete', { name: 'demo', purge: true })
    await perform('clone', { name: 'server', new: 'file', database: 'sqlite', ...anonymised })
    await perform('start', { name: 'file' })
    const after = await contactsOf('file')
    expect(after.length).toBe(before.length)
    expect(after.map((one) => one.con_company_id)).toEqual(before.map((one) => one.con_company_id))
    for (const [at, contact] of after.entries()) {
      expect(contact.con_email).toMatch(/@example\.org$/)
      expect(contact.con_lastname).not.toBe(before[at]?.con_lastname)
    }
    for (const name of ['server', 'file']) await perform('delete', { name, purge: true })
  }, 240_000)
})
