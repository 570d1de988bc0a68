/**
 * @module-tag mixed
 * @module-tag continued
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import pLimit from 'p-limit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testInstance } from '../../../../manager-core/src/lib/testing/made-up-operation.js'
import { writeHook } from '../../../../manager-core/src/lib/testing/write-hook.js'
import { startApi, type ApiEvent, type TestApi } from './api-for-test.js'

describe('the API', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api?.close())

  describe('performs each row of the requirements', { tags: 'core' }, () => {
    it('config, versions and list', async () => {
      expect(await api.get('')).toMatchObject({
        status: 200,
        body: { status: 0, config: { APPS_PORTS: expect.anything() } },
      })
      expect((await api.ask('versions')).body.list).toMatchObject([{ version: '1.0' }])
      expect((await api.ask('list', { param: '1.0' })).body).toMatchObject({ status: 0, list: [] })
    })

    it('add, with options, as a clone, and with a generated name', async () => {
      const added = await api.get('action=add&name=demo&param=1.0&options[protected]=yes&options[auto_save]=yes')
      expect(added.body).toMatchObject({
        status: 0,
        item: { name: 'demo', status: 'started', protected: 'yes', auto_save: 'yes' },
        // Callers of the API type no commands.
        message: expect.stringMatching(/To show the password: GET \/api\?action=iocredentials&name=demo$/),
      })
      const cloned = await api.get('action=add&name=copy&param=demo&options%5Bno-start%5D=true')
      expect(cloned.body.item).toMatchObject({ name: 'copy', status: 'stopped', protected: 'no' })
      const named = await api.ask('add', { 'no-start': 'true' })
      expect(named.body.item?.['name']).toMatch(/^[a-z0-9]{10}$/)
    })

    it('health, iocredentials, logs, accesslogs and history', async () => {
      expect((await api.ask('health', { name: 'demo' })).body).toMatchObject({
        status: 0,
        health: { platform: { status: 'OK' } },
      })
      expect((await api.ask('iocredentials', { name: 'demo' })).body).toMatchObject({
        io_url: expect.any(String),
        io_user: expect.any(String),
        io_password: expect.any(String),
      })
      expect((await api.ask('logs', { name: 'demo', lines: '5' })).body.list).toEqual(expect.any(Array))
      expect((await api.ask('accesslogs', { name: 'demo' })).body.status).toBe(0)
      expect((await api.ask('history', { name: 'demo' })).body.list?.at(-1)).toMatchObject({
        action: expect.any(String),
      })
      // Its text is the message, as that of logs is.
      expect((await api.ask('history', { name: 'demo' })).body.message).toMatch(
        /^\d{4}-\d\d-\d\dT[\d:.]+Z \S+ \S+ demo: done/,
      )
      expect((await api.get('action=get&name=demo&_=1732780800000')).body).toMatchObject({ item: { name: 'demo' } })
    })

    it('stop, start, save, upgrade, rename, clone, reset and del, to their end', async () => {
      for (const [query, message] of [
        ['action=stop&name=demo&force=true', 'is stopped'],
        ['action=start&name=demo', 'is started'],
        ['action=save&name=demo', 'backed up'],
        ['action=upgrade&name=demo', 'demo'],
        ['action=clone&name=copy&param=copy2', 'clone of "copy"'],
        ['action=rename&name=copy2&param=copy3', 'is now named "copy3"'],
        ['action=reset&name=copy3', 'is now blank'],
        ['action=del&name=copy3&force=true', 'is deleted'],
        ['action=upgradeall', '0 failed'],
        ['action=saveall', '1 backed up'],
      ] as const) {
        const { status, body } = await api.get(query)
        expect({ query, status, body }).toMatchObject({
          status: 200,
          body: { status: 0, message: expect.stringContaining(message) },
        })
      }
    })

    it('download of all, data, webapp and logs, as streams', async () => {
      for (const param of ['all', 'data', 'webapp', 'logs']) {
        const response = await fetch(`${api.server.url}/api?action=download&name=demo&param=${param}`, {
          headers: { Authorization: `Basic ${btoa('admin:admin')}` },
        })
        expect(response.headers.get('Content-Disposition')).toMatch(
          new RegExp(`^attachment; filename=demo-${param}-\\d{8}T\\d{6}Z\\.tar\\.gz$`),
        )
        expect(gunzipSync(Buffer.from(await response.arrayBuffer())).length).toBeGreaterThan(1000)
      }
    })
  })

  it('answers in pretty print', async () => {
    expect((await api.get('action=get&name=demo&prettyprint=true')).text).toContain('{\n  "status": 0,\n')
    expect((await api.get('action=list&prettyprint=true')).text).toContain('\n  "list": [\n')
  })

  it('shows the table of actions with all that forms need', async () => {
    const { list = [] } = (await api.ask('actions')).body
    expect(list.find(({ name }) => name === 'clone')).toMatchObject({
      ability: 'operate',
      mutating: true,
      allowed: true,
      group: 'Instances',
      parameters: [
        { name: 'name', type: 'instance', required: true },
        { name: 'new', type: 'new-name' },
      ],
    })
    expect(list.find(({ name }) => name === 'backups-list')).toBeDefined()
    expect(
      list.flatMap(({ options }) => options as { readonly type: string }[]).filter(({ type }) => type === 'file'),
    ).toEqual([])
    expect(list.find(({ name }) => name === 'serve' || name === 'shell')).toBeUndefined()
  })

  it('changes nothing in a dry run, and returns what would be done', async () => {
    const { body } = await api.get('action=stop&name=demo&dryrun=true')
    expect(body).toMatchObject({ status: 0, plan: { title: 'Stop instance "demo"', steps: expect.any(Array) } })
    expect(body.operation).toBeUndefined()
    expect(api.manager.instance('demo').desired).toBe('started')
  })

  describe('of bad input', { tags: 'core' }, () => {
    it.each([
      ['action=nothing', 404, 'The action "nothing" is not there.'],
      ['action=serve', 404, 'is for the command line only'],
      ['action=stop&name=demo&forse=true', 400, 'stop takes no "forse".'],
      ['action=stop&name=demo&options[x]=1', 400, 'stop takes no "x".'],
      ['action=stop&name=demo&force=maybe', 400, 'force takes yes or no, not "maybe".'],
      ['action=stop', 400, 'stop needs a <name>'],
      ['action=stop&name=demo&name=copy', 400, '"name" is given twice.'],
      ['action=stop&name=demo&options[name]=copy', 400, '"name" is given twice.'],
      ['action=list&action=stop', 400, '"action" is given twice.'],
      ['action=stop&name=demo&async=perhaps', 400, '"async" takes true or false'],
      ['action=stop&name=demo&wait=-1', 400, '"wait" takes a number of seconds'],
      ['action=clone&name=demo&param=x1x&anonymise=/etc/passwd', 400, 'only the command line takes'],
      ['action=list&param=SQL:1=1', 400, 'for the command line only'],
      ['action=doctor&fix=true', 400, 'is for the command line only'],
      ['action=get&name=__proto__', 404, 'No instance is named "__proto__".'],
      ['action=get&name=demo&_=x', 400, 'get takes no "_".'],
      ['action=get&name=demo&__proto__=1', 400, 'get takes no "__proto__".'],
      ['action=constructor', 404, 'is not there'],
      ['action=add&name=a%20b', 400, '"a b" is not a valid instance name.'],
      ['action=add&name=%00demo', 400, 'name takes text'],
      ['action=add&name=d%C3%A9mo', 400, 'is not a valid instance name.'],
      [`action=add&name=${'a'.repeat(300)}`, 400, 'is not a valid instance name.'],
      ['action=get&name=%E0%A4%A', 404, 'No instance is named'],
    ])('%s is refused with %i', async (query, status, message) => {
      const answer = await api.get(query)
      expect(answer).toMatchObject({
        status,
        body: { message: expect.stringContaining(message), code: expect.any(String) },
      })
      expect(answer.body.status).not.toBe(0)
    })

    it('paths in names and parameters lead nowhere', async () => {
      const paths = [
        '../../etc/passwd',
        '..',
        '/etc/passwd',
        '..%2f..%2fetc',
        '....//etc',
        'demo/../demo',
        'demo%00',
        '~root',
        'C:\\x',
      ]
      const queries = paths
        .map(encodeURIComponent)
        .flatMap((path) => [
          ...['get', 'logs', 'download', 'health', 'del', 'save'].map((action) => `${action}&name=${path}`),
          ...['type', 'backup'].map((option) => `download&name=demo&options[${option}]=${path}`),
          `backups-verify&name=demo&param=${path}`,
          ...['operation', 'operation-cancel'].map((call) => `${call}&id=${path}`),
        ])
      // Each of these takes a worker.
      const slow = ['reset&name=copy', 'add&name=newone', 'undelete'].map(
        (call) => `${call}&param=..%2F..%2Fetc%2Fpasswd`,
      )
      for (const query of [...queries, ...slow]) {
        const answer = await api.get(`action=${query}`)
        expect({ query, ...answer }).toMatchObject({
          status: expect.toSatisfy((status: number) => status >= 400 && status < 500),
        })
        expect(answer.text).not.toContain('root:x:0')
      }
    })

    it('it cannot split headers', async () => {
      const crlf = 'demo%0d%0aSet-Cookie:%20a=b%0d%0a%0d%0a<script>'
      for (const query of [`action=get&name=${crlf}`, `action=download&name=demo&param=${crlf}`, `action=${crlf}`]) {
        const { status, headers } = await api.get(query)
        expect(status).toBeGreaterThanOrEqual(400)
        expect(headers.get('Set-Cookie')).toBeNull()
        expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
      }
    })

    it('only GET is taken', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'PATCH']) {
        const { status, headers } = await api.get('action=stop&name=demo', { method })
        expect({ method, status, allow: headers.get('Allow') }).toEqual({ method, status: 405, allow: 'GET' })
      }
      expect(api.manager.instance('demo').desired).toBe('started')
    })
  })

  describe('of inputs that may be secrets', () => {
    const query = 'action=setting-set&name=demo&variable=SHOP_API_KEY'
    const withHeader = (text: string, more = '') => api.get(`${query}${more}`, { headers: { 'X-Manager-Input': text } })

    it('takes them from the header, also for a worker, and keeps them nowhere', async () => {
      const { status, body } = await withHeader(new URLSearchParams({ value: 's3cret&é' }).toString())
      expect({ status, body }).toMatchObject({ status: 200, body: { item: { name: 'SHOP_API_KEY', value: '***' } } })
      const file = api.manager.path('demo', 'settings.sh')
      expect(readFileSync(file, 'utf8')).toContain("SHOP_API_KEY='s3cret&é'\n")
      const { operation } = body
      expect(JSON.stringify((await api.ask('operation', { id: operation! })).body)).not.toContain('s3cret')
      const kept = readdirSync(api.manager.home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && join(entry.parentPath, entry.name) !== file)
        .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes('s3cret'))
      expect(kept.map(({ name }) => name)).toEqual([])
    })

    it('refuses them in the address, and others in the header, without repeating them', async () => {
      const address = await api.get(`${query}&value=s3cret`)
      expect(address).toMatchObject({
        status: 400,
        body: {
          message: '"value" may be a secret, and addresses are logged: send it as the header X-Manager-Input: value=….',
        },
      })
      const header = await withHeader('value=s3cret&fingerprint=x')
      expect(header).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('is a parameter of the address') },
      })
      const unknown = await withHeader('valeu=s3cret')
      expect(unknown).toMatchObject({ status: 400, body: { message: 'setting set takes no "valeu".' } })
      expect([address, header, unknown].map(({ text }) => text).join()).not.toContain('s3cret')
      const history = JSON.stringify((await api.ask('history', { name: 'demo' })).body)
      expect(history).toContain('SHOP_API_KEY')
      expect(history).not.toContain('s3cret')
    })

    it('reports a conflict with 409', async () => {
      const { status, body } = await withHeader('value=other', '&fingerprint=0123456789abcdef')
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'ERR_STATE', status: 4 } })
    })
  })

  describe('of what takes long', () => {
    it('answers at once with an id under which it is found', async () => {
      const { status, body } = await api.get('action=stop&name=demo&async=true')
      expect({ status, body }).toMatchObject({ status: 202, body: { status: 0, operation: expect.any(String) } })
      const events = await api.events(`action=operation&id=${body.operation}`)
      expect(events[0]).toMatchObject({ event: 'operation', data: { id: body.operation, action: 'stop' } })
      expect(events.at(-1)).toMatchObject({ id: 'end', event: 'result', data: { status: 0 } })
      const { item } = (await api.ask('operation', { id: body.operation! })).body
      expect(item).toMatchObject({
        state: 'succeeded',
        instance: 'demo',
        steps: [{ state: 'done' }, { state: 'done' }, { state: 'done' }],
        result: { status: 0 },
      })
      expect((await api.ask('operations', { limit: '1' })).body.list).toMatchObject([{ id: body.operation }])
    })

    it('continues after the event that came last, and not at all after the end', async () => {
      const isEvent = ({ event }: ApiEvent) => event === 'event'
      const { operation } = (await api.get('action=start&name=demo&async=true')).body
      const all = await api.events(`action=operation&id=${operation}`, { after: '0' })
      const half = await api.events(`action=operation&id=${operation}`, { after: '2' })
      expect(
        all
          .filter(isEvent)
          .map(({ id }) => id)
          .slice(0, 3),
      ).toEqual(['1', '2', '3'])
      expect(half.filter(isEvent)).toEqual(all.filter(isEvent).slice(2))
      expect(
        (
          await api.get(`action=operation&id=${operation}`, {
            headers: { Accept: 'text/event-stream', 'Last-Event-ID': 'end' },
          })
        ).status,
      ).toBe(204)
    })

    it('cancels it', async () => {
      writeHook(api.manager.home, 'pre-stop', 'echo > "$APPS_HOME/stopping"; sleep 60')
      const { operation } = (await api.get('action=stop&name=demo&async=true')).body
      await expect.poll(() => existsSync(join(api.manager.home, 'stopping'))).toBe(true)
      expect((await api.ask('operation-cancel', { id: operation! })).body.status).toBe(0)
      expect((await api.events(`action=operation&id=${operation}`)).at(-1)?.data).toMatchObject({
        code: 'ERR_ROLLED_BACK',
      })
      expect((await api.ask('operation-cancel', { id: operation! })).status).toBe(409)
      writeHook(api.manager.home, 'pre-stop', '')
    })

    it('reports an instance that is busy', async () => {
      writeHook(
        api.manager.home,
        'pre-save',
        'echo > "$APPS_HOME/saving"; while [ ! -e "$APPS_HOME/saved" ]; do sleep 0.02; done',
      )
      const first = api.ask('save', { name: 'demo' })
      await expect.poll(() => existsSync(join(api.manager.home, 'saving'))).toBe(true)
      expect(await api.ask('save', { name: 'demo' })).toMatchObject({
        status: 423,
        body: { code: 'ERR_BUSY', status: 5 },
      })
      const patient = api.ask('save', { name: 'demo', wait: '600' })
      writeFileSync(join(api.manager.home, 'saved'), '')
      expect((await first).body.status).toBe(0)
      expect((await patient).body.status).toBe(0)
    })

    it('also performs what only reads in a worker', async () => {
      const { status, body } = await api.get('action=backups-verify&name=demo&async=true')
      expect(status).toBe(202)
      expect((await api.events(`action=operation&id=${body.operation}`)).at(-1)?.data).toMatchObject({
        status: 0,
        message: expect.stringContaining('is good'),
      })
    })
  })

  it('sends lines of a log as they are written, until the client is gone', async () => {
    expect((await api.ask('logs', { name: 'demo', follow: 'true' })).status).toBe(406)
    const log = api.manager.path('demo', 'logs', 'application.log')
    const isLast = ({ data }: ApiEvent) => data['line'] === 'the last one'
    const events = api.events('action=logs&name=demo&follow=true&lines=0', { until: isLast })
    const timer = setInterval(() => appendFileSync(log, 'the last one\n'), 200)
    expect((await events).at(-1)).toMatchObject({ event: 'line', data: { line: 'the last one' } })
    clearInterval(timer)
  })

  it('ends a stream when the token is revoked that opened it', async () => {
    const { item } = await api.manager.perform('token add', { name: 'follower' })
    const { token } = item as { readonly token: string }
    const response = await fetch(`${api.server.url}/api?action=logs&name=demo&follow=true&lines=0`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
    await api.manager.perform('token remove', { name: 'follower' })
    expect(await response.text()).not.toContain('event: line')
  })

  it('makes a download no faster than it is read, and ends its work when the client is gone', async () => {
    const file = api.manager.path('demo', 'data', 'large.bin')
    // It does not become smaller when it is packed.
    writeFileSync(file, Buffer.concat(Array.from({ length: 64 }, () => crypto.getRandomValues(Buffer.alloc(65_536)))))
    for (let n = 0; n < 16; n++) appendFileSync(`${file}.${n}`, readFileSync(file))
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpGet(`${api.server.url}/api?action=download&name=demo&param=data`, { auth: 'admin:admin' }, resolve).on(
        'error',
        reject,
      )
    })
    response.on('error', () => {})
    const { size } = await new Promise<{ size: number }>((resolve) =>
      response.once('data', (piece: Buffer) => resolve({ size: piece.length })),
    )
    expect(size).toBeGreaterThan(0)
    response.pause()
    const drafts = () => readdirSync(api.manager.home).filter((name) => name.startsWith('.download-'))
    // It waits for its reader.
    await sleep(1000)
    expect(drafts()).toHaveLength(1)
    response.destroy()
    await expect.poll(drafts).toEqual([])
  })

  it('lists as it is now, however often it is asked', async () => {
    api.manager.context.registry.transaction((writer) => {
      for (let n = 0; n < 200; n++)
        writer.insertInstance(testInstance({ id: `i${n}`, name: `name${n}`, port: 30_000 + n }))
    })
    const { text, body } = await api.ask('list')
    expect(body.list?.length).toBeGreaterThan(200)
    const lengthOf = async () => (await api.raw('action=list')).length
    // A connection whose request does not come within seconds is closed, and this process is busy.
    const connecting = pLimit(50)
    const lengths = await Promise.all(Array.from({ length: 1000 }, () => connecting(lengthOf)))
    expect(new Set(lengths)).toEqual(new Set([Buffer.byteLength(text)]))
    for (const company of ['one', 'two', 'three']) {
      api.manager.context.registry.transaction((writer) =>
        writer.updateInstance(api.manager.instance('demo').id, { company }),
      )
      expect((await api.ask('list')).body.list?.find(({ name }) => name === 'demo')).toMatchObject({ company })
    }
  })
})
