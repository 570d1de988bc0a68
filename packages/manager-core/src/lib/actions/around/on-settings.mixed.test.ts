/** @module-tag mixed */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { mailServer, plain } from '../../mail/mail-server-for-test.js'
import { startMonitoring } from '../../monitoring/start-monitoring.js'
import { createTestManager, type TestManager } from '../../testing/create-test-manager.js'

let test: TestManager
let config: Buffer

beforeAll(async () => {
  test = await createTestManager({ config: ['APPS_DATABASES=sqlite', 'APPS_DEFAULTAUTOSAVE=yes'] })
  await test.perform('add', { name: 'demo', 'no-start': true })
  config = readFileSync(test.context.home.config)
})

afterEach(() => writeFileSync(test.context.home.config, config))
afterAll(() => test.close())

/** A command in a process of its own. */
async function command(
  action: string,
  input: Record<string, string | boolean> = {},
  surface: 'cli' | 'schedule' = 'cli',
) {
  const manager = test.another()
  try {
    const caller = { actor: 'tester', surface, grant: test.caller.grant }
    return await manager.perform(action, input, caller)
  } finally {
    manager.close()
  }
}

const wrong = (line: string) => appendFileSync(test.context.home.config, `${line}\n`)

it('commands that do not need a wrong setting work, and say so once', { tags: 'core' }, async () => {
  wrong('APPS_TRASHDAYS=abc')
  const told = [expect.stringMatching(/^APPS_TRASHDAYS is "abc" \(config\.sh:\d+\), but must be .*the rest works\.$/)]
  expect(await command('list')).toMatchObject({ list: [{ name: 'demo' }], warnings: told })
  expect(await command('get', { name: 'demo' })).toMatchObject({ item: { name: 'demo' }, warnings: told })
  expect(await command('status')).toMatchObject({
    item: { problems: expect.arrayContaining([expect.stringContaining('APPS_TRASHDAYS')]) as string[] },
    warnings: told,
  })
  const { warnings, exitCode, list } = await command('saveall', {}, 'schedule')
  expect([warnings, exitCode ?? 0]).toEqual([told, 0])
  expect(list).toMatchObject([{ result: 'saved' }])
  expect(await command('backups list', { name: 'demo' })).toMatchObject({ list: [{}], warnings: told })
})

it('one that needs it is refused before it changes anything', { tags: 'core' }, async () => {
  wrong('APPS_TRASHDAYS=abc')
  await expect(command('delete', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_SETTINGS' })
  expect(existsSync(test.path('demo', 'settings.sh'))).toBe(true)
  expect(test.instance('demo')).toMatchObject({ operation: '' })
})

async function expectOneProblem(line: string): Promise<void> {
  const { list: before } = await command('doctor')
  wrong(line)
  const { list, warnings } = await command('doctor')
  const errors = (all: typeof list) => (all ?? []).filter((one) => (one as { level: string }).level === 'error')
  expect(
    errors(list).filter((one) => !errors(before).some((other) => JSON.stringify(other) === JSON.stringify(one))),
  ).toEqual([expect.objectContaining({ check: 'settings', message: expect.stringContaining('config.sh:') })])
  expect(warnings ?? []).toEqual([])
}

it('doctor says once that APPS_TRASHDAYS=abc cannot be used, and makes all of its checks', { tags: 'core' }, () =>
  expectOneProblem('APPS_TRASHDAYS=abc'),
)

it.each(['APPS_EMAIL="me', 'if true', 'APPS_SAVE_DIR=$APPS_HOM/save', 'APPS_BASEURL=apps.example.org'])(
  'doctor says once that %s cannot be used, and makes all of its checks',
  expectOneProblem,
)

it('the server mails it once, and another one again', { tags: 'core' }, async () => {
  const { received, port } = await mailServer(plain)
  const mail = ['APPS_MAILSERVER=127.0.0.1', `APPS_MAILPORT=${port}`, 'APPS_EMAIL=operator@example.org']
  wrong(mail.join('\n'))
  const problems: string[] = []
  const monitoring = startMonitoring({
    ...{ context: test.context, onProblem: (message) => problems.push(message) },
    ...{ intervalMs: 5, retryMs: 5 },
  })
  onTestFinished(() => monitoring.close())
  wrong('APPS_TRASHDAYS=abc')
  await expect.poll(() => received.length).toBe(1)
  expect(received[0]?.text).toContain('Subject: [localhost:8000] config.sh has settings that cannot be used')
  expect(received[0]?.text).toContain('APPS_TRASHDAYS is "abc"')
  wrong('APPS_TRASHDAYS=abcd')
  await expect.poll(() => received.length).toBe(2)
  expect(received[1]?.text).toContain('APPS_TRASHDAYS is "abcd"')
  expect(problems).toHaveLength(2)
})
