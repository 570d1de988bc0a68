import { expect, onTestFinished, test } from 'vitest'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import { insertRequest, updateRequest } from '../requests/request-rows.js'
import { createTestManager } from '../testing/create-test-manager.js'

const person = { email: 'ada@example.org', firstname: 'Ada', lastname: 'Lovelace', phone: '1', company: 'Engines' }

async function managerWithRequests(config: readonly string[] = []) {
  const { received, port } = await mailServer(plain)
  const made = await createTestManager({
    config: [
      'export APPS_ALLOWREGISTER=yes',
      'export APPS_EMAIL=support@example.org',
      'export APPS_MAILSERVER=127.0.0.1',
      `export APPS_MAILPORT=${port}`,
      ...config,
    ],
  })
  onTestFinished(() => made.close())
  const ask = (name: string, language: 'en' | 'fr' = 'en') => {
    const { database } = made.context.registry
    const created = new Date().toISOString()
    const id = insertRequest(database, { ...person, name, version: '1.0', created, language, address: '::1' }, name)
    updateRequest(database, id, { status: 'confirmed', confirmed: created })
    return id
  }
  return { ...made, received, ask }
}

test('requests approve makes the instance for its person, and tells them its address', async () => {
  const { perform, instance, ask, received } = await managerWithRequests()
  const id = ask('demo', 'fr')
  const { item, operation } = await perform('requests approve', { id })
  expect(operation).toBeTruthy()
  expect(item).toMatchObject({ name: 'demo', owner_email: person.email, firstname: 'Ada', company: 'Engines' })
  expect(instance('demo').desired).toBe('started')
  expect(received.map(({ to }) => to)).toEqual([[person.email]])
  const { list } = await perform('requests')
  expect(list).toMatchObject([{ id, status: 'approved', instance: 'demo', decided_by: 'tester', note: '' }])
  await expect(perform('requests approve', { id })).rejects.toMatchObject({ code: 'ERR_STATE' })
})
