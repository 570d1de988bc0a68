import { createHmac } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRights } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { collect } from '../service/fixture-for-test.js'
import { systemObjects } from '../system/system-objects.js'
import { createEventHub } from './event-hub.js'
import { prepareWebhooks } from './prepare-webhooks.js'
import { createWebhookDispatcher } from './webhook-dispatcher.js'
import type { WebhookDispatcherOptions } from './webhook-dispatcher.js'
import type { WebhookRequest } from './webhook-message.js'
import { retryDelay, standardRetry } from './webhook-retry.js'

const Note = defineObject({
  name: 'Note',
  events: true,
  fields: { not_text: { type: 'string' }, not_price: { type: 'integer' } },
})
const boss = systemPrincipal({ login: 'boss' })
const key = Buffer.alloc(24, 7)
const secret = `whsec_${key.toString('base64')}`
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

interface Message extends WebhookRequest {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it
  readonly json: any
}

function fixture() {
  const model = createModel([...systemObjects, Note])
  const store = createMemoryStore()
  const hub = createEventHub({ model, store, pollMs: 5 })
  closers.push(() => hub.close())
  const service = createBusinessObjects({ model, store, onChange: () => hub.notify() })
  const received: Message[] = []
  const statuses: number[] = []
  const users = new Map<string, Principal>()
  let answer: (message: Message) => Promise<number> = async () => statuses.shift() ?? 200
  return {
    model,
    store,
    hub,
    service,
    received,
    statuses,
    users,
    answerWith: (given: typeof answer) => (answer = given),
    start,
    webhook: (values: object = {}) =>
      service.create(boss, 'Webhook', { whk_name: 'w', whk_url: 'https://x.example/', whk_secret: secret, ...values }),
    write: (text: string) => service.create(boss, 'Note', { not_text: text, not_price: 7 }),
    deliveries: async () =>
      collect(await service.search(boss, 'WebhookDelivery', { order: [{ field: 'row_id', descending: false }] })),
    texts: () => received.map(({ json }) => json.data.record?.not_text ?? json.data.row_id),
  }

  function start(options: Partial<WebhookDispatcherOptions> = {}) {
    const dispatcher = createWebhookDispatcher({
      model,
      store,
      service,
      hub,
      pollMs: 5,
      principalOf: async (id) => users.get(id),
      send: async (request) => {
        const message = { ...request, json: JSON.parse(request.body) }
        received.push(message)
        return answer(message)
      },
      retry: { firstDelayMs: 1 },
      ...options,
    })
    closers.push(() => dispatcher.close())
    dispatcher.start()
    return dispatcher
  }
}

it('an event that comes while the last ones are looked for is sent, too', async () => {
  const { start, webhook, write, received, hub } = fixture()
  await webhook()
  let isLate = true
  const late = {
    ...hub,
    async read(after: number) {
      const events = await hub.read(after)
      if (events.length > 0 || !isLate) return events
      isLate = false
      const known = hub.known()
      await write('late')
      await hub.next(known, new AbortController().signal)
      return events
    },
  }
  start({ hub: late })
  await expect.poll(() => received.map(({ json }) => json.data.number)).toEqual([1])
})

it('an event is sent, signed, and noted as done', async () => {
  const { start, webhook, write, received, deliveries } = fixture()
  const { row_id: webhookId } = await webhook()
  start()
  const { row_id: id } = await write('a')
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'done' }])
  const [message] = received
  expect(message?.json).toEqual({
    type: 'Note.create',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    data: {
      number: 1,
      object: 'Note',
      row_id: id,
      action: 'create',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      login: 'boss',
    },
  })
  const {
    'webhook-id': messageId,
    'webhook-timestamp': seconds,
    'webhook-signature': signature,
  } = message?.headers ?? {}
  expect(messageId).toBe(`evt_1_${webhookId}`)
  expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(60)
  const expected = createHmac('sha256', key).update(`${messageId}.${seconds}.${message?.body}`).digest('base64')
  expect(signature).toBe(`v1,${expected}`)
  expect(await deliveries()).toMatchObject([{ whd_attempts: 1, whd_http_status: 200, whd_error: '', whd_next_dt: '' }])
})

it('a delivery that was given up is sent again by the action "retry", and no other one', async () => {
  const { start, webhook, write, statuses, deliveries, received, service } = fixture()
  await webhook()
  statuses.push(500, 500)
  start({ retry: { firstDelayMs: 1, attempts: 2 } })
  await write('a')
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'failed', whd_http_status: 500 }])
  const rowId = (await deliveries())[0]?.row_id ?? ''
  const offered = async () =>
    (await service.metadata(boss, 'WebhookDelivery', { rowId })).actions.map(({ name }) => name)
  expect(await offered()).toEqual(['retry'])
  const reader = createPrincipal({
    login: 'eve',
    rights: createRights(service.model, [{ object: '*', letters: 'R' }], { LOGIN: 'eve' }),
  })
  await expect(service.action(reader, 'WebhookDelivery', 'retry', { rowId })).rejects.toMatchObject({ status: 403 })
  await service.action(boss, 'WebhookDelivery', 'retry', { rowId })
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'done', whd_attempts: 1, whd_error: '' }])
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(await offered()).toEqual([])
  await expect(service.action(boss, 'WebhookDelivery', 'retry', { rowId })).rejects.toMatchObject({ status: 403 })
})

it('a failed delivery is sent again, and the ones after it wait', async () => {
  const { start, webhook, write, statuses, deliveries, received, service } = fixture()
  await webhook()
  statuses.push(500, 503)
  start()
  await write('a')
  await write('b')
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'done' }, { whd_status: 'done' }])
  expect(received.map(({ json }) => json.data.number)).toEqual([1, 1, 1, 2])
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
  expect((await deliveries()).map(({ whd_attempts: attempts }) => attempts)).toEqual([3, 1])
  expect(await collect(await service.search(boss, 'Webhook'))).toMatchObject([
    { whk_active: true, whk_failures: null, whk_failing_since: '' },
  ])
})

it('a delivery that keeps failing is overtaken, and given up in the end', async () => {
  const { start, webhook, write, answerWith, deliveries, received } = fixture()
  await webhook()
  answerWith(async ({ json }) => (json.data.number === 1 ? 400 : 200))
  start({ retry: { firstDelayMs: 1, attempts: 4, orderedAttempts: 2 } })
  await write('a')
  await write('b')
  await expect
    .poll(deliveries)
    .toMatchObject([
      { whd_status: 'failed', whd_attempts: 4, whd_error: 'The receiver answered with status 400.' },
      { whd_status: 'done' },
    ])
  expect(received.slice(0, 3).map(({ json }) => json.data.number)).toEqual([1, 1, 2])
})

it('a webhook that keeps failing is switched off with the reason, and starts again when switched on', async () => {
  const { start, webhook, write, answerWith, service, deliveries } = fixture()
  const { row_id: id } = await webhook()
  let status = 500
  answerWith(async () => status)
  start({ retry: { firstDelayMs: 1, attempts: 3, offAfterDays: 0 } })
  await write('a')
  await write('b')
  const state = async () => service.get(boss, 'Webhook', id)
  await expect.poll(state).toMatchObject({
    whk_active: false,
    whk_failures: 3,
    whk_off_reason: expect.stringMatching(/^Only failures since .*status 500/),
  })
  expect((await deliveries()).map(({ whd_status: one }) => one)).toEqual(['failed', 'pending'])
  status = 200
  await service.update(boss, 'Webhook', id, { whk_active: true })
  expect(await state()).toMatchObject({
    whk_active: true,
    whk_failures: null,
    whk_off_reason: '',
    whk_failing_since: '',
  })
  await expect.poll(async () => (await deliveries()).map(({ whd_status: one }) => one)).toEqual(['failed', 'done'])
})

it('a webhook that is switched off, or gets another address, does so for what waits already', async () => {
  const { start, webhook, write, received, service, answerWith, deliveries } = fixture()
  const { row_id: id } = await webhook()
  for (const text of ['a', 'b', 'c']) await write(text)
  answerWith(async () => {
    const isFirst = received.length === 1
    await service.update(boss, 'Webhook', id, isFirst ? { whk_url: 'https://y.example/' } : { whk_active: false })
    return 200
  })
  const statuses = async () => (await deliveries()).map(({ whd_status: status }) => status)
  const dispatcher = start()
  await expect.poll(statuses).toEqual(['done', 'done', 'pending'])
  await dispatcher.close()
  expect(received.map(({ url }) => url)).toEqual(['https://x.example/', 'https://y.example/'])
  answerWith(async () => 200)
  await service.update(boss, 'Webhook', id, { whk_active: true })
  start()
  await expect.poll(statuses).toEqual(['done', 'done', 'done'])
})

it('a receiver that is gone (410) switches the webhook off at once', async () => {
  const { start, webhook, write, statuses, service } = fixture()
  const { row_id: id } = await webhook()
  statuses.push(410)
  start()
  await write('a')
  await expect.poll(() => service.get(boss, 'Webhook', id)).toMatchObject({ whk_active: false })
})

it('objects and actions choose the events', async () => {
  const { start, webhook, write, service, deliveries } = fixture()
  await webhook({ whk_name: 'deletions', whk_actions: ['delete'] })
  await webhook({ whk_name: 'notes', whk_objects: ' Note ' })
  await webhook({ whk_name: 'off', whk_active: false })
  start()
  await service.delete(boss, 'Note', (await write('a')).row_id)
  await expect
    .poll(async () =>
      (await deliveries()).map(({ whd_webhook_id__whk_name: name, whd_action: action }) => [name, action].join(' ')),
    )
    .toEqual(['notes create', 'deletions delete', 'notes delete'])
})

it('a webhook of a user gets what the user may read, and the record as the user may read it', async () => {
  const { start, webhook, write, service, model, users, received, deliveries } = fixture()
  const { row_id: userId } = await service.create(boss, 'User', { usr_login: 'eve' })
  const grants = [{ object: 'Note', letters: 'R', filter: "not_text <> 'secret'", hidden: ['not_price', 'updated_by'] }]
  users.set(userId, createPrincipal({ login: 'eve', userId, rights: createRights(model, grants, {}) }))
  await webhook({ whk_user_id: userId, whk_with_record: true })
  start()
  await write('secret')
  const { row_id: id } = await write('open')
  await expect
    .poll(async () => (await deliveries()).map(({ whd_status: status }) => status))
    .toEqual(['skipped', 'done'])
  expect(received.map(({ json }) => json.data)).toEqual([
    {
      number: 2,
      object: 'Note',
      row_id: id,
      action: 'create',
      time: expect.any(String),
      record: { row_id: id, not_text: 'open' },
    },
  ])
  users.delete(userId)
  await write('after')
  await expect.poll(deliveries).toMatchObject([{}, {}, { whd_error: 'The user of the webhook is not active.' }])
})

it('only one of several dispatchers sends', async () => {
  const { start, webhook, write, received, deliveries } = fixture()
  await webhook()
  for (let n = 0; n < 3; n++) start()
  for (let n = 0; n < 20; n++) await write(`${n}`)
  await expect.poll(async () => (await deliveries()).filter(({ whd_status: s }) => s === 'done').length).toBe(20)
  expect(received.map(({ json }) => json.data.number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

it('another process continues when one is closed, and nothing is lost between', async () => {
  const { start, webhook, write, deliveries } = fixture()
  await webhook()
  const first = start()
  await write('a')
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'done' }])
  await first.close()
  await write('b')
  start()
  await expect.poll(deliveries).toMatchObject([{}, { whd_status: 'done' }])
})

it('what another process has noted meanwhile is not written over', async () => {
  const { start, webhook, write, answerWith, deliveries, store, model } = fixture()
  await webhook()
  const object = model.object('WebhookDelivery')
  let answered = 0
  answerWith(async () => {
    // As if this process had been paused long enough that another one sent it.
    const [delivery] = await deliveries()
    const done = { whd_status: 'done', whd_attempts: 1, whd_due: null, whd_http_status: 204 }
    await store.update(object, delivery?.['row_id'] as string, done, { select: object.select([]) })
    answered++
    return 500
  })
  const dispatcher = start()
  await write('a')
  await expect.poll(() => answered).toBe(1)
  await dispatcher.close()
  expect(await deliveries()).toMatchObject([{ whd_status: 'done', whd_attempts: 1, whd_http_status: 204 }])
})

it('a call that does not answer in time fails', async () => {
  const { start, webhook, write, answerWith, deliveries } = fixture()
  await webhook()
  answerWith(
    ({ signal }) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason as Error))),
  )
  start({ timeoutMs: 20, retry: { attempts: 1 } })
  await write('a')
  await expect
    .poll(deliveries)
    .toMatchObject([{ whd_status: 'failed', whd_error: 'The receiver did not answer within 20 ms.' }])
})

it('old events and deliveries are deleted', async () => {
  const { start, webhook, write, store, model, deliveries } = fixture()
  await webhook()
  await write('a')
  const first = start()
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'done' }])
  await first.close()
  start({ keepEventsDays: -1, keepDeliveriesDays: -1 })
  await expect.poll(() => store.count(model.object('Event'))).toBe(0)
  await expect.poll(deliveries).toEqual([])
})

it('the waits between attempts add up to about a day', () => {
  const waits = Array.from({ length: standardRetry.attempts - 1 }, (_, at) => retryDelay(at + 1, standardRetry))
  const hours = waits.reduce((sum, wait) => sum + wait, 0) / 3_600_000
  expect(hours).toBeGreaterThan(16)
  expect(hours).toBeLessThan(25)
})

it('a webhook that could not work is refused, without showing its secret', async () => {
  const { webhook } = fixture()
  for (const [values, field] of [
    [{ whk_url: 'ftp://x.example/' }, 'whk_url'],
    [{ whk_url: 'https://me:pass@x.example/' }, 'whk_url'],
    [{ whk_secret: 'whsec_c2hvcnQ=' }, 'whk_secret'],
    [{ whk_secret: 'mypassword' }, 'whk_secret'],
    [{ whk_objects: 'Note, Nope' }, 'whk_objects'],
    [{ whk_objects: 'User' }, 'whk_objects'],
    [{ whk_with_record: true }, 'whk_user_id'],
  ] as const) {
    const error = await webhook(values).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ERR_VALIDATION', messages: [{ field }] })
    expect(JSON.stringify(error) + String(error)).not.toMatch(/mypassword|c2hvcnQ/)
  }
  const record = await webhook()
  expect(record).not.toHaveProperty('whk_secret')
})

it('a user who is not an administrator has webhooks for himself only', async () => {
  const { service, model, webhook } = fixture()
  const { row_id: userId } = await service.create(boss, 'User', { usr_login: 'eve' })
  const eve = createPrincipal({
    login: 'eve',
    userId,
    rights: createRights(model, [{ object: 'Webhook', letters: 'CRU' }], {}),
  })
  const values = { whk_name: 'mine', whk_url: 'https://x.example/', whk_secret: secret }
  expect(await service.create(eve, 'Webhook', values)).toMatchObject({ whk_user_id: userId })
  for (const other of ['', boss.userId]) {
    await expect(
      service.create(eve, 'Webhook', { ...values, whk_name: 'other', whk_user_id: other }),
    ).rejects.toMatchObject({ status: expect.any(Number) })
  }
  const { row_id: id } = await webhook()
  await expect(service.update(eve, 'Webhook', id, { whk_url: 'https://eve.example/' })).rejects.toMatchObject({
    code: 'ERR_RIGHT',
  })
  await expect(service.update(eve, 'Webhook', id, { whk_user_id: userId })).rejects.toMatchObject({ code: 'ERR_RIGHT' })
})

it('muted, it sends nothing of what waits nor of what comes, not even when it is unmuted', async () => {
  const { start, webhook, write, received, deliveries, statuses, texts } = fixture()
  await webhook()
  statuses.push(500)
  const first = start({ retry: { firstDelayMs: 3_600_000, orderedAttempts: 0 } })
  const { row_id: waiting } = await write('waits')
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'pending', whd_attempts: 1 }])
  await first.close()
  const muted = start({ muted: true })
  await write('comes')
  const error = 'Not sent: the application was neutralised, or its data copied from another instance.'
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'skipped', whd_error: error }])
  await muted.close()
  expect(received).toHaveLength(1)
  start()
  const { row_id: later } = await write('later')
  await expect.poll(texts).toEqual([waiting, later])
})

it('what was written while muted is never sent, however the muted process ended', async () => {
  const { model, store, start, webhook, write, deliveries, statuses, texts } = fixture()
  await webhook()
  await prepareWebhooks({ model, store, muted: false })
  statuses.push(500)
  const first = start({ retry: { firstDelayMs: 3_600_000, orderedAttempts: 0 } })
  const { row_id: waiting } = await write('waits')
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'pending', whd_attempts: 1 }])
  await first.close()
  // These are not skipped: the process ends before it comes to them.
  await prepareWebhooks({ model, store, muted: true })
  await write('muted')
  await write('muted, too')
  await prepareWebhooks({ model, store, muted: false })
  const second = start()
  await expect.poll(deliveries).toMatchObject([{ whd_status: 'skipped' }])
  const { row_id: later } = await write('later')
  await expect.poll(texts).toEqual([waiting, later])
  await second.close()
  // Only once.
  const { row_id: last } = await write('while nothing runs')
  await prepareWebhooks({ model, store, muted: false })
  start()
  await expect.poll(texts).toEqual([waiting, later, last])
})

it('two processes that are not muted any more may start at the same time', async () => {
  const { model, store, start, webhook, write, texts } = fixture()
  await webhook()
  await prepareWebhooks({ model, store, muted: true })
  await write('muted')
  await Promise.all([1, 2].map(() => prepareWebhooks({ model, store, muted: false })))
  const { row_id: later } = await write('later')
  start()
  start()
  await expect.poll(texts).toEqual([later])
})

it('slow receivers of one user do not keep those of others waiting', async () => {
  const { start, service, webhook, write, received, users, answerWith, model } = fixture()
  for (const login of ['ann', 'bob']) {
    const { row_id: id } = await service.create(boss, 'User', { usr_login: login })
    const rights = createRights(model, [{ object: 'Note', letters: 'R' }], {})
    users.set(id, createPrincipal({ userId: id, login, rights }))
    for (let number = 1; number <= (login === 'ann' ? 30 : 1); number++)
      await webhook({ whk_name: `${login} ${number}`, whk_url: `https://${login}.example/`, whk_user_id: id })
  }
  const opened = Promise.withResolvers<void>()
  answerWith(async ({ url }) => {
    if (url.includes('ann')) await opened.promise
    return 200
  })
  const calls = (login: string) => received.filter(({ url }) => url.includes(login)).length
  for (let number = 1; number <= 10; number++) await write(`note ${number}`)
  start()
  await expect.poll(() => calls('bob')).toBe(10)
  expect(calls('ann')).toBe(6)
  opened.resolve()
  await expect.poll(() => calls('ann')).toBe(300)
})

it('a user has at most 100 webhooks, however they are made', async () => {
  const { service, webhook } = fixture()
  const { row_id: id } = await service.create(boss, 'User', { usr_login: 'ann' })
  for (let number = 1; number <= 98; number++) await webhook({ whk_name: `w${number}`, whk_user_id: id })
  const { row_id: other } = await webhook({ whk_name: 'other' })
  const items = [1, 2, 3].map((number) => ({
    action: 'create' as const,
    values: { whk_name: `b${number}`, whk_url: 'https://x.example/', whk_secret: secret, whk_user_id: id },
  }))
  await expect(service.batch(boss, 'Webhook', items)).rejects.toMatchObject({
    code: 'ERR_CONFLICT',
    message: 'Item 2: This user has 100 webhooks; 100 is the limit. Delete some first.',
  })
  await service.batch(boss, 'Webhook', items.slice(0, 2))
  await expect(service.update(boss, 'Webhook', other, { whk_user_id: id })).rejects.toMatchObject({ status: 409 })
  await expect(webhook({ whk_name: 'one more', whk_user_id: id })).rejects.toMatchObject({ status: 409 })
  await webhook({ whk_name: 'for all' })
})
