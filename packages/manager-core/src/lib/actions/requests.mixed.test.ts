/** @module-tag mixed */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { InstanceRequest } from '../domain/request.js'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import type { JournalPoint } from '../operation/operation.js'
import { insertRequest, notTold, updateRequest } from '../store/request-rows.js'
import { bundledManager, crashAction } from '../testing/bundled-manager.js'
import { createTestManager, type TestManagerOptions } from '../testing/create-test-manager.js'
import { fakeApplicationServer, tellFake } from '../testing/fake-application.js'

const person = { email: 'ada@example.org', firstname: 'Ada', lastname: 'Lovelace', phone: '1', company: 'Engines' }

async function managerWithRequests(config: readonly string[] = [], options: TestManagerOptions = {}) {
  const { received, port } = await mailServer(plain)
  const made = await createTestManager({
    config: [
      'export APPS_ALLOWREGISTER=yes',
      'export APPS_EMAIL=support@example.org',
      'export APPS_MAILSERVER=127.0.0.1',
      `export APPS_MAILPORT=${port}`,
      ...config,
    ],
    ...options,
  })
  onTestFinished(() => made.close())
  const ask = (name: string, language: 'en' | 'fr' = 'en') => {
    const { registry } = made.context
    const created = new Date().toISOString()
    const id = insertRequest(registry, { ...person, name, version: '1.0', created, language, address: '::1' }, name)
    updateRequest(registry, id, { status: 'confirmed', confirmed: created })
    return id
  }
  const request = async (id: number) => {
    const { list = [] } = await made.perform('requests')
    return list.find((one) => (one as unknown as InstanceRequest).id === id) as unknown as InstanceRequest
  }
  return { ...made, received, ask, request }
}

test('requests approve creates the instance for its person, and mails them its address', { tags: 'core' }, async () => {
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
  await perform('rename', { name: 'demo', new: 'sales' })
  expect((await perform('list', { where: "r.email = 'ada@example.org'" })).list).toMatchObject([{ name: 'sales' }])
})

test('requests are there only when APPS_ALLOWREGISTER=yes', async () => {
  const test = await createTestManager({ refresh: false })
  onTestFinished(() => test.close())
  for (const [action, input] of [
    ['requests', {}],
    ['requests approve', { id: 1 }],
    ['requests reject', { id: 1 }],
  ] as const)
    await expect(test.perform(action, input)).rejects.toMatchObject({
      code: 'ERR_STATE',
      help: expect.stringContaining('APPS_ALLOWREGISTER=yes'),
    })
})

test('requests warns the operator when registration is closed for want of a mail server', async () => {
  const test = await createTestManager({ refresh: false, config: ['export APPS_ALLOWREGISTER=yes'] })
  onTestFinished(() => test.close())
  const { warnings } = await test.perform('requests')
  expect(warnings).toEqual([
    'Self-registration does not work: set APPS_MAILSERVER and APPS_EMAIL, because addresses are confirmed by mail.',
  ])
  const { list } = await test.perform('doctor', { category: 'system' })
  expect(list).toContainEqual(expect.objectContaining({ check: 'registration', level: 'warning' }))
})

test('requests reject mails the person the reason, and it cannot be approved any more', async () => {
  const { perform, ask, request, received, context } = await managerWithRequests()
  const id = ask('demo')
  await perform('requests reject', { id, reason: 'Please ask your department.' }, { dryRun: true })
  expect(received).toEqual([])
  await perform('requests reject', { id, reason: 'Please ask your department.' })
  expect(await request(id)).toMatchObject({
    status: 'rejected',
    decided_by: 'tester',
    note: 'Please ask your department.',
  })
  expect(received).toMatchObject([{ to: [person.email], text: expect.stringContaining('Please ask your department.') }])
  await expect(perform('requests approve', { id })).rejects.toMatchObject({ code: 'ERR_STATE' })
  await expect(perform('requests reject', { id })).rejects.toMatchObject({ code: 'ERR_STATE' })
  await expect(perform('requests reject', { id: 99 })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  expect(context.registry.history({ limit: 1 })).toMatchObject([{ action: 'requests reject', result: 'ok' }])
})

test('a request whose instance cannot be made has failed, and can be approved again', async () => {
  const { perform, ask, request, received, context } = await managerWithRequests()
  const id = ask('demo')
  const fetched = join(context.home.templates, context.registry.versions()[0]!.folder)
  tellFake(fetched, { start: 'fail' })
  await expect(perform('requests approve', { id })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
  expect(await request(id)).toMatchObject({ status: 'failed', instance: '' })
  expect(context.registry.find('demo')).toBeUndefined()
  expect(received).toEqual([])
  tellFake(fetched, {})
  await perform('requests approve', { id, as: 'other' })
  expect(await request(id)).toMatchObject({ status: 'approved', instance: 'other' })
})

test('a request for a name that is taken stays as it is, and may get another name', async () => {
  const { perform, ask, request } = await managerWithRequests()
  const id = ask('demo')
  await perform('add', { name: 'demo', 'no-start': true })
  await expect(perform('requests approve', { id })).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
  expect(await request(id)).toMatchObject({ status: 'confirmed' })
  const { plan } = await perform('requests approve', { id, as: 'demo2' }, { dryRun: true })
  expect(plan!.title).toContain('demo2')
  expect(await request(id)).toMatchObject({ status: 'confirmed' })
})

test('an approval whose mail was not sent is a warning, and is mailed when it is approved again', async () => {
  const { perform, ask, request, received, home } = await managerWithRequests()
  const id = ask('demo')
  const config = join(home, 'config.sh')
  const right = readFileSync(config, 'utf8')
  writeFileSync(config, right.replace(/APPS_MAILPORT=\d+/, 'APPS_MAILPORT=9'))
  const { warnings } = await perform('requests approve', { id })
  expect(warnings).toEqual([expect.stringMatching(/^ada@example.org was not notified: .*cannot be reached/)])
  expect(await request(id)).toMatchObject({ status: 'approved', note: warnings![0] })
  writeFileSync(config, right)
  expect((await perform('requests approve', { id })).warnings).toBeUndefined()
  expect(received.map(({ to }) => to)).toEqual([[person.email]])
  expect((await request(id)).note).toBe('')
})

test('an approval that is killed is undone, or done and the person is notified later', async () => {
  const points: JournalPoint[] = []
  const made = await managerWithRequests([], { onJournal: (point) => points.push(point) })
  await made.perform('requests approve', { id: made.ask('first') })
  const { home } = made
  const { program } = await bundledManager()
  const crash = (id: number, at: number) =>
    crashAction(program, {
      ...{ home, at, action: 'requests approve', input: { id } },
      ...{ applicationServer: fakeApplicationServer, defaultTemplate: made.template },
    })
  const [undone, done] = [made.ask('undone'), made.ask('done')]
  const started = points.findIndex((point) => point.at === 'outcome' && point.step === 'start')
  const last = points.length
  expect(await crash(undone, started + 1)).toBeUndefined()
  // Recovers it: the next one would count the entries of its recovery, too.
  expect(await made.request(undone)).toMatchObject({ status: 'confirmed', instance: '', note: '' })
  expect(await crash(done, last)).toBeUndefined()
  expect(await made.request(done)).toMatchObject({
    status: 'approved',
    instance: 'done',
    decided_by: 'crash',
    note: notTold,
  })
  await made.perform('requests approve', { id: done })
  expect(await made.request(done)).toMatchObject({ status: 'approved', note: '' })
  await made.perform('requests approve', { id: undone })
  expect(made.context.registry.instances().map(({ name }) => name)).toEqual(['done', 'first', 'undone'])
})

test('add takes an owner, and refuses what cannot be one', { tags: 'core' }, async () => {
  const test = await createTestManager()
  onTestFinished(() => test.close())
  const owner = { owner_email: 'ada@example.org', firstname: 'Ada', company: 'Engines' }
  const { item } = await test.perform('add', { name: 'demo', 'no-start': true, ...owner })
  expect(item).toMatchObject({ ...owner, lastname: '', phone: '' })
  for (const wrong of [
    { owner_email: 'ada' },
    { owner_email: 'ada@example.org\nBcc: all@example.org' },
    { firstname: 'x'.repeat(81) },
    { phone: '1\u202E2' },
  ])
    await expect(test.perform('add', { name: 'other', ...wrong })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  const { item: copy } = await test.perform('clone', { name: 'demo', new: 'copy' })
  expect(copy).toMatchObject(owner)
})
