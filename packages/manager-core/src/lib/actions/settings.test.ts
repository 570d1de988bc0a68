import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { specOf } from '../application/instance-spec.js'
import { withParts, type Ability } from '../domain/ability.js'
import type { Caller } from '../domain/caller.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { instanceTable } from '../settings/tables/instance.js'
import type { Variable } from '../settings/variable.js'
import type { WireSetting } from './settings.js'

let test: TestManager

beforeAll(async () => {
  test = await createTestManager({
    config: ['export APPS_SLEEP_AFTER=900', 'export BACKUP_HOST=nas', 'export APPS_QUALITY_LOGIN=of-the-manager'],
  })
  for (const name of ['demo', 'other']) await test.perform('add', { name, 'no-start': true })
})

afterAll(() => test.close())

const file = (name = 'demo') => test.path(name, 'settings.sh')
const textOf = (name = 'demo') => readFileSync(file(name), 'utf8')
const set = (variable: string, value: string, more: Partial<Caller> = {}, rest = {}) =>
  test.perform('setting set', { name: 'demo', variable, value, ...rest }, more)
const unset = (variable: string, more: Partial<Caller> = {}) =>
  test.perform('setting unset', { name: 'demo', variable }, more)
const list = async (more: Partial<Caller> = {}) =>
  new Map(
    (await test.perform('setting list', { name: 'demo', all: true }, more)).list!.map((one) => {
      const setting = one as unknown as WireSetting
      return [setting.name, setting]
    }),
  )
const fingerprint = async () => (await test.perform('setting list', { name: 'demo' })).data?.['fingerprint'] as string
const newest = () => test.context.registry.history({ limit: 1 })[0]

/** A caller over HTTP, with a token for the instance alone unless `whole`. */
function caller(abilities: readonly Ability[], { whole = false } = {}): Partial<Caller> {
  return {
    actor: 'token mallory',
    surface: 'api',
    grant: {
      abilities: withParts(abilities),
      scope: whole ? { all: true } : { all: false, instances: new Set([test.instance('demo').id]), hosts: new Set() },
    },
  }
}

describe('setting set', () => {
  it('changes a variable in its place, keeps the rest of the file, and is in the history', async () => {
    appendFileSync(file(), '# Agreed with sales.\nSERVICE_SLEEP_AFTER=60 # seconds\nCOLOR=blue\n')
    const before = textOf()
    const { message, item } = await set('SERVICE_SLEEP_AFTER', '600')
    expect(message).toBe('SERVICE_SLEEP_AFTER of "demo" is set. It takes effect immediately.')
    expect(item).toMatchObject({ name: 'SERVICE_SLEEP_AFTER', value: '600' })
    expect(textOf()).toBe(before.replace('SERVICE_SLEEP_AFTER=60 #', 'SERVICE_SLEEP_AFTER=600 #'))
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(test.path('demo')).filter((name) => name.startsWith('settings.sh'))).toEqual(['settings.sh'])
    expect(newest()).toMatchObject({
      action: 'setting set',
      instance: 'demo',
      actor: 'tester',
      result: 'ok',
      parameters: { variable: 'SERVICE_SLEEP_AFTER' },
      message: 'SERVICE_SLEEP_AFTER: 60 → 600',
    })
    expect((await set('SERVICE_SLEEP_AFTER', '600')).message).toContain('is set')
  })

  it('gives the application its own variables from the next start', async () => {
    expect((await set('COLOR', "it's $HOME")).message).toContain('It takes effect when the instance is started')
    expect((await specOf(test.context, test.instance('demo'))).environment['COLOR']).toBe("it's $HOME")
    await unset('COLOR')
    expect((await specOf(test.context, test.instance('demo'))).environment['COLOR']).toBeUndefined()
  })

  it.each([
    ['SERVICE_SLEEP_AFTER', '-1', 'must be a whole number from 0 to 31536000'],
    ['SERVICE_LIMIT_MEMORY', '12', 'must be 0 (no limit) or a whole number from 64'],
    ['SERVICE_DEBUG', 'maybe', 'must be "true" or "false"'],
    ['SERVICE_QUALITY_URL', 'ftp://x', 'must be an address'],
    ['SERVICE_PLACEMENT', 'disk', 'is not a condition on a label'],
    ['SERVICE_DEBUG_ORIGIN', '0.0.0.0:8000', 'debuggers listen on 127.0.0.1 only'],
    ['SERVICE_USER', 'a b', 'must be letters, digits'],
    ['COLOR', 'a\nLD_PRELOAD=/x', 'must be one line of text'],
    ['SERVICE_SLEEP_AFTR', '1', 'have no variable "SERVICE_SLEEP_AFTR"'],
    ['APPS_PASSWORD', 'x', 'have no variable "APPS_PASSWORD"'],
    ['A B', 'x', 'is not the name of a variable'],
    ['__proto__', 'x', 'is not the name of a variable'],
  ])('refuses %s=%s, and writes nothing', async (variable, value, message) => {
    const before = textOf()
    await expect(set(variable, value)).rejects.toThrow(message)
    expect(textOf()).toBe(before)
  })

  it('says what it would do in a dry run, and does nothing', async () => {
    const before = textOf()
    const { plan } = await set('SERVICE_SLEEP_AFTER', '700', { dryRun: true })
    expect(plan?.notes).toEqual(['Now: 600. Then: 700.', 'It takes effect immediately.'])
    expect(textOf()).toBe(before)
  })

  it('refuses a change of what was read before another change', async () => {
    const read = await fingerprint()
    await set('SERVICE_SLEEP_AFTER', '800', {}, { fingerprint: read })
    await expect(set('SERVICE_SLEEP_AFTER', '900', {}, { fingerprint: read })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: 'The settings of "demo" have changed since you read them.',
    })
    await set('SERVICE_SLEEP_AFTER', '900', {}, { fingerprint: await fingerprint() })
    const again = await fingerprint()
    writeFileSync(file(), `${textOf()}# by hand\n`)
    await expect(set('SERVICE_SLEEP_AFTER', '1', {}, { fingerprint: again })).rejects.toThrow('have changed')
  })

  it('shows and writes a secret nowhere but in the file', async () => {
    const secret = 's3cr3t-of-the-test'
    await expect(set('SERVICE_PASSWORD', secret)).rejects.toThrow('other users of the machine can see arguments')
    const { message } = await set('SERVICE_PASSWORD', secret, {}, { stdin: true })
    await set('SHOP_API_KEY', secret, {}, { stdin: true })
    await set('SHOP_URL', `https://me:${secret}@example.org`)
    expect(textOf()).toContain(`SERVICE_PASSWORD=${secret}\n`)
    const { [sqlite]: database } = test.context.registry
    const tables = ['operation', 'step', 'history'].map((name) => database.prepare(`select * from ${name}`).all())
    const shown = await list()
    expect(JSON.stringify([message, tables, [...shown.values()]])).not.toContain(secret)
    expect(shown.get('SHOP_URL')).toMatchObject({ value: 'https://***@example.org', secret: true })
    expect(shown.get('SHOP_API_KEY')).toMatchObject({ value: '***', type: 'secret', secret: true })
    expect(newest()?.message).toBe('SHOP_URL: not set → ***')
    // An equal one is written, too: else the answer would say whether a guess is right.
    await set('SHOP_API_KEY', secret, {}, { stdin: true })
    expect(newest()?.message).toBe('SHOP_API_KEY: *** → ***')
    await expect(set('SHOP_API_KEY', `${secret}\0`, {}, { stdin: true })).rejects.not.toThrow(secret)
    await unset('SHOP_API_KEY')
    expect(newest()?.message).toBe('SHOP_API_KEY: *** → not set')
    await expect(unset('SERVICE_PASSWORD')).rejects.toThrow('SERVICE_PASSWORD is required')
  })
})

describe('setting list', () => {
  it('shows for each variable what applies, where it is from, and why it cannot be changed', async () => {
    await unset('SERVICE_SLEEP_AFTER')
    const all = await list()
    expect(all.get('SERVICE_SLEEP_AFTER')).toMatchObject({
      value: null,
      default: '900',
      origin: expect.stringMatching(/^config\.sh:\d+$/),
      type: 'integer',
      min: 0,
      changeable: 'yes',
      effect: 'now',
    })
    expect(all.get('SERVICE_LIMIT_PROCESSES')).toMatchObject({ value: null, default: '1024', origin: 'default' })
    expect(all.get('SERVICE_URL')).toMatchObject({
      changeable: 'no',
      reason: 'The manager derives it from the port of the instance.',
    })
    // The login of the manager is not that of the instance.
    expect(all.get('SERVICE_QUALITY_LOGIN')).toMatchObject({ value: null, default: null })
  })

  it('has an answer for every variable of the table', () => {
    for (const [name, { change }] of Object.entries<Variable>(instanceTable))
      expect([name, change]).not.toContain(undefined)
  })
})

describe('a caller with rights on one instance', () => {
  const refused = (variable: string, by: Partial<Caller>, value = '1') =>
    expect(set(variable, value, by), variable).rejects.toMatchObject({ code: 'ERR_ACCESS' })

  it('changes what stays within the instance, and not those of another one', async () => {
    const operator = caller(['operate'])
    await set('SERVICE_SLEEP_AFTER', '300', operator)
    await set('SHOP_URL', 'https://example.com', operator)
    await expect(
      test.perform('setting set', { name: 'other', variable: 'SERVICE_SLEEP_AFTER', value: '1' }, operator),
    ).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    await expect(set('SERVICE_SLEEP_AFTER', '1', caller(['read']))).rejects.toMatchObject({ code: 'ERR_ACCESS' })
  })

  it('runs no code as the manager by variables that programs take, whatever it may do there', async () => {
    // An administrator of the server had set one: its value is not open to others.
    await set('NODE_OPTIONS', '--no-warnings')
    const names =
      'LD_PRELOAD ld_preload LD_LIBRARY_PATH NODE_OPTIONS NODE_PATH PATH BASH_ENV ENV SHELLOPTS IFS PS4 HOME USER ' +
      'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS CATALINA_OPTS CLASSPATH PYTHONPATH PERL5OPT RUBYOPT GIT_SSH_COMMAND SSH_AUTH_SOCK ' +
      'HTTPS_PROXY SSL_CERT_FILE OPENSSL_CONF CURL_HOME AWS_ENDPOINT_URL DOCKER_HOST PGHOST PGPASSFILE MYSQL_HOME TNS_ADMIN ' +
      'STEWARD_DATABASE STEWARD_TRUSTED_PROXIES STEWARD_HOST GLIBC_TUNABLES GCONV_PATH LOCPATH HOSTALIASES TMPDIR XDG_CONFIG_HOME'
    for (const name of names.split(' '))
      for (const by of [
        caller(['operate']),
        caller(['admin', 'sensitive']),
        caller(['admin', 'sensitive'], { whole: true }),
      ])
        await refused(name, by)
    for (const name of ['NODE_OPTIONS'])
      await expect(unset(name, caller(['admin', 'sensitive'], { whole: true }))).rejects.toMatchObject({
        code: 'ERR_ACCESS',
      })
    expect(textOf()).toContain('NODE_OPTIONS=--no-warnings')
  })

  it('replaces no variable of the manager or of hooks, and adds none', async () => {
    for (const by of [caller(['operate']), caller(['admin', 'sensitive'])]) {
      await refused('BACKUP_HOST', by, 'mallory.example')
      await refused('SHOP_NEW', by)
    }
    const whole = caller(['admin'], { whole: true })
    await set('SHOP_NEW', '1', whole)
    await set('SHOP_NEW', '2', caller(['operate']))
    await set('BACKUP_HOST', 'other', whole)
    // It is there now, and hooks still take it for the manager's.
    await refused('BACKUP_HOST', caller(['operate']), 'mallory.example')
  })

  it('neither takes more of the machine, nor opens the instance, nor sends credentials of the manager away', async () => {
    const names = Object.entries<Variable>(instanceTable).filter(([name]) =>
      /LIMIT|TOMCAT|PLACEMENT|REPLICAS|DEBUG|QUALITY/.test(name),
    )
    expect(names).toHaveLength(15)
    for (const [name] of names)
      for (const by of [caller(['operate']), caller(['admin', 'sensitive'])]) await refused(name, by)
    await refused('SERVICE_QUALITY_URL', caller(['admin'], { whole: true }), 'https://mallory.example')
    await set('SERVICE_QUALITY_URL', 'https://sonar.example', caller(['admin', 'sensitive'], { whole: true }))
  })

  it('gets no credentials by setting them, without the ability to see them', async () => {
    for (const name of ['SERVICE_USER', 'SERVICE_PASSWORD']) {
      await refused(name, caller(['operate']), 'mallory')
      await refused(name, caller(['admin'], { whole: true }), 'mallory')
    }
    await set('SERVICE_USER', 'io', caller(['operate', 'sensitive']))
  })

  it('moves neither the database, nor the documents, nor the address', async () => {
    const all = await list(caller(['admin', 'sensitive'], { whole: true }))
    const fixed = [...all.values()].filter(({ name, changeable }) => changeable === 'no' && name.startsWith('SERVICE_'))
    expect(fixed.map(({ name }) => name.replace('SERVICE_', '')).toSorted()).toEqual(
      (
        'ADMIN_PASSWORD ADMIN_USER AUTOUPGRADE CONTEXT DATABASE DATABASE_HOST DATABASE_NAME DATABASE_PASSWORD DATABASE_PORT ' +
        'DATABASE_USER DOCUMENTS NEUTRALISED ORACLE_SID REMOTE_GIT_PASSWORD REMOTE_GIT_USERNAME URL'
      ).split(' '),
    )
    for (const { name } of fixed) {
      await refused(name, {}, '../../other/data/database.db')
      await refused(name, caller(['admin', 'sensitive'], { whole: true }), '../../other/data/database.db')
    }
  })
})
