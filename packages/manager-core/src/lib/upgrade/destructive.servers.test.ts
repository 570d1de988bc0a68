import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { authorizationOf, realApplication } from '../testing/real-manager.js'

describe('sqlite', () => testLosses('sqlite', []))
for (const type of ['postgresql', 'mysql'] as const) needs(type, (url) => testLosses(type, databaseConfig(url)))

/** With the real application server. */
function testLosses(database: string, config: readonly string[]): void {
  let manager: TestManager

  beforeAll(async () => {
    const { applicationServer } = realApplication
    manager = await createTestManager({
      applicationServer,
      config: ['export APPS_HEALTHWINDOW=0', ...config],
      refresh: false,
    })
    rmSync(join(manager.template, 'objects'), { recursive: true })
    await publish('1.0.0', 'nte_text: { type: string, length: 80, key: true }\n  nte_old: { type: string }')
    await manager.perform('add', { name: 'demo', database })
  })
  afterAll(() => manager?.close())

  async function publish(version: string, fields: string) {
    rmSync(join(manager.template, 'objects'), { recursive: true, force: true })
    writeTemplateFile('app.yaml', `name: notes\nversion: ${version}\n`)
    writeTemplateFile('objects/note.yaml', `name: Note\nfields:\n  ${fields}\n`)
    return manager.perform('refresh')
  }
  const writeTemplateFile = (path: string, text: string) => {
    mkdirSync(join(manager.template, path, '..'), { recursive: true })
    writeFileSync(join(manager.template, path), text)
  }
  const address = () => `http://127.0.0.1:${manager.instance('demo').port}`
  const call = async (method: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${address()}/api/rest/Note`, {
      method,
      headers: { Authorization: await authorizationOf(manager, 'demo'), 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(answer.status).toBe(200)
    return answer.json()
  }
  const texts = async () => ((await call('GET')) as { nte_text: string }[]).map((note) => note.nte_text).toSorted()
  const processId = async () => /^pid=(\d+)$/m.exec(await (await fetch(`${address()}/health`)).text())?.[1]

  test('data are lost only when that is asked for, after it was counted, and a rollback brings them back', async () => {
    await call('POST', { nte_text: 'short', nte_old: 'kept' })
    await call('POST', { nte_text: 'too long a text' })
    const pid = await processId()

    const broken = await publish('1.1.0', 'nte_text: { type: strong }')
    expect(broken.warnings?.join()).toMatch(/objects\/note\.yaml:3:\d+ fields\.nte_text\.type/)

    await publish('1.1.0', 'nte_text: { type: string, length: 5, key: true }')
    await expect(manager.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message:
        'Instance "demo" was not upgraded: data could be lost. ' +
        'change column note.nte_text from string(80) to string(5): 1 of 2 values is lost.',
    })
    const all = await manager.perform('upgradeall', { now: true })
    expect(all.list).toMatchObject([{ name: 'demo', result: 'failed' }])
    expect(await processId()).toBe(pid)

    const { plan } = await manager.perform('upgrade', { name: 'demo', destructive: true }, { dryRun: true })
    const lost = [
      'change column note.nte_text from string(80) to string(5): 1 of 2 values is lost',
      'drop column note.nte_old: 1 of 1 values is lost',
    ]
    expect(plan?.notes).toEqual(expect.arrayContaining(lost.map((text) => `Database: ${text}.`)))
    expect(await processId()).toBe(pid)
    expect(await texts()).toEqual(['short', 'too long a text'])

    const { message, item } = await manager.perform('upgrade', { name: 'demo', destructive: true })
    expect(message).toContain('manager rollback demo')
    expect(item).toMatchObject({ lost })
    expect(await texts()).toEqual(['short', 'too l'])

    await manager.perform('rollback', { name: 'demo' })
    expect(await texts()).toEqual(['short', 'too long a text'])
    expect(await call('GET')).toContainEqual(expect.objectContaining({ nte_text: 'short', nte_old: 'kept' }))
  }, 120_000)
}
