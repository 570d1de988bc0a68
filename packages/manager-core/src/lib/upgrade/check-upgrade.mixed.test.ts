/** @module-tag mixed */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DatabaseChanges } from '../application/check-application.js'
import { withParts } from '../domain/ability.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { tellFake, writeTemplate, type FakeApplication } from '../testing/fake-application.js'

type ActionRow = { readonly name: string; readonly options: readonly { readonly name: string }[] }

let test: TestManager

beforeEach(async () => {
  test = await createTestManager({ config: ['export APPS_HEALTHWINDOW=0'] })
})
afterEach(() => test.close())

/** Publishes another revision, which the instances can be upgraded to. */
async function publish(fake: FakeApplication = {}) {
  writeTemplate(test.template, { version: '1.1.0', fake })
  return test.perform('refresh')
}

const processOf = async (name: string) => {
  const answer = await fetch(`http://127.0.0.1:${test.instance(name).port}/version`)
  return (await answer.json()) as { version: string; pid: number }
}

const added = { description: 'add column note.extra (string(20))', destructive: false }
const narrowed = { description: 'change column note.text from string(80) to string(5)', destructive: true }
const loss = { table: 'note', column: 'text', description: narrowed.description, values: 9, lost: 4 }
const unfit: readonly [what: string, changes: DatabaseChanges, message: string][] = [
  ['rows that do not allow it', { steps: [added], refusal: 'Two rows have "x".' }, 'Two rows have "x".'],
  [
    'what could lose data',
    { steps: [added, narrowed], losses: [loss, { ...loss, description: 'drop column note.old' }] },
    'data could be lost. change column note.text from string(80) to string(5): 4 of 9 values are lost.',
  ],
]

it('a template that cannot be loaded is not taken, the one before stays, and all callers learn why', async () => {
  await test.perform('add', { name: 'demo' })
  const [before] = await test.context.templates.list()
  const problem = 'The application cannot be served: objects/Note.yaml:3:7 fields.text.type is missing.'
  const { warnings, list, exitCode } = await publish({
    problems: ['objects/Note.yaml:3:7 fields.text.type is missing'],
  })
  expect(warnings).toEqual([`The latest template of version 1.0 was not accepted: ${problem}`])
  expect(list).toMatchObject([{ version: '1.0', result: 'failed', error: problem }])
  expect(exitCode).toBe(1)
  expect((await test.perform('versions')).list).toMatchObject([{ revision: before?.revision, problem }])
  expect((await test.perform('doctor', { category: 'templates' })).list).toMatchObject([{ level: 'warning' }])
  const { message, warnings: told } = await test.perform('upgrade', { name: 'demo' })
  expect(message).toContain(`revision ${before?.revision.slice(0, 10)}`)
  expect(message).toContain('to fetch again, use "refresh"')
  expect(told).toEqual([`A newer template was not accepted: ${problem}`])
  await test.perform('add', { name: 'other', 'no-start': true })

  writeFileSync(join(test.home, 'version-2.0.sh'), `APPS_TEMPLATE=folder:${test.template}\n`)
  expect((await test.perform('refresh')).warnings).toHaveLength(2)
  await expect(test.perform('add', { name: 'new', from: '2.0' })).rejects.toMatchObject({
    message: `Version 2.0 has no usable template: ${problem}`,
  })
  expect((await test.perform('versions')).warnings).toEqual([`Version 2.0 cannot be used: ${problem}`])
  await publish({})
  expect((await test.perform('versions')).list).toMatchObject([{ problem: '' }, { problem: '' }])
})

it('an application whose documents a package keeps is not taken: they would be in no backup', async () => {
  const { warnings, exitCode } = await publish({ documentsPackage: 'box-documents' })
  expect(warnings).toEqual([expect.stringContaining('the package box-documents keeps are in no backup')])
  expect(exitCode).toBe(1)
})

it.each(unfit)('an upgrade is refused for %s while the instance runs on', async (_what, changes, message) => {
  await test.perform('add', { name: 'demo' })
  const before = await processOf('demo')
  await publish({ changes })
  const refusal = { code: 'ERR_STATE', message: `Instance "demo" was not upgraded: ${message}` }
  for (const dryRun of [true, false])
    await expect(test.perform('upgrade', { name: 'demo' }, { dryRun })).rejects.toMatchObject(refusal)
  expect(await processOf('demo')).toEqual(before)
  const { list, exitCode } = await test.perform('upgradeall', {}, { dryRun: true })
  expect(list).toMatchObject([{ name: 'demo', result: 'would fail', message: refusal.message }])
  expect(exitCode).toBe(1)
  writeFileSync(join(test.home, 'version-2.0.sh'), `APPS_TEMPLATE=folder:${test.template}\n`)
  await test.perform('refresh')
  const { warnings } = await test.perform('setversion', { name: 'demo', version: '2.0' })
  expect(warnings).toEqual([`The next upgrade would fail. ${refusal.message}`])
})

it.each(unfit)(
  'an upgrade whose migration runs before %s is not refused for it',
  { tags: 'core' },
  async (_what, changes) => {
    await test.perform('add', { name: 'demo' })
    await publish({ changes, migrations: [{ name: '1_cut.ts', when: 'before' }] })
    const { plan } = await test.perform('upgrade', { name: 'demo' }, { dryRun: true })
    expect(plan?.notes).toContain('Database: run migration 1_cut.ts.')
    await publish({ changes, migrations: [{ name: '1_cut.ts', when: 'after' }] })
    await expect(test.perform('upgrade', { name: 'demo' }, { dryRun: true })).rejects.toMatchObject({
      code: 'ERR_STATE',
    })
  },
)

it('upgrade and reset find mistakes of a template that was taken before it was checked, and touch nothing', async () => {
  await test.perform('add', { name: 'demo' })
  const before = await processOf('demo')
  await publish()
  const [version] = await test.context.templates.list()
  tellFake(version?.folder ?? '', { problems: ['app.yaml:4:1 porte is not known here'] })
  await expect(test.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({
    message:
      'Instance "demo" was not upgraded: the new application cannot be served: app.yaml:4:1 porte is not known here.',
  })
  await expect(test.perform('reset', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
  expect(await processOf('demo')).toEqual(before)
})

it('a dry run says which application comes, and what it changes in the database', { tags: 'core' }, async () => {
  await test.perform('add', { name: 'demo' })
  await publish({ changes: { steps: [added], losses: [loss] } })
  const { plan } = await test.perform('upgrade', { name: 'demo' }, { dryRun: true })
  const [version] = await test.context.templates.list()
  expect(plan?.notes.slice(0, 2)).toEqual([
    `Application: "fake" 1.0.0 → 1.1.0, revision ${version?.revision.slice(0, 10)}.`,
    'Database: add column note.extra (string(20)).',
  ])
  await test.perform('upgrade', { name: 'demo' })
  expect((await processOf('demo')).version).toBe('1.1.0')
  const again = await test.perform('upgrade', { name: 'demo', force: true }, { dryRun: true })
  expect(again.plan?.notes).toContain('Database: add column note.extra (string(20)).')
})

it('a loss of data is refused for one that is protected, without the ability, and when no restore point is kept', async () => {
  await test.perform('add', { name: 'demo', 'no-start': true })
  await publish({ changes: { steps: [narrowed], losses: [loss] } })
  const input = { name: 'demo', destructive: true }
  const operator = { grant: { abilities: withParts(['operate']), scope: { all: true } } } as const
  await expect(test.perform('upgrade', input, operator)).rejects.toMatchObject({
    code: 'ERR_ACCESS',
    message: '"--destructive" requires the ability "admin", which you do not have.',
  })
  const [row] = ((await test.perform('actions', {}, operator)).list as readonly ActionRow[]).filter(
    ({ name }) => name === 'upgrade',
  )
  expect(row?.options.map(({ name }) => name)).not.toContain('destructive')
  await test.perform('protect', { name: 'demo' })
  await expect(test.perform('upgrade', input)).rejects.toMatchObject({ code: 'ERR_PROTECTED' })
  await test.perform('unprotect', { name: 'demo' })
  const config = join(test.home, 'config.sh')
  const lines = readFileSync(config, 'utf8')
  writeFileSync(config, `${lines}export APPS_RESTOREPOINTDAYS=0\n`)
  await expect(test.another().perform('upgrade', input, test.caller)).rejects.toMatchObject({ code: 'ERR_STATE' })
  expect(test.instance('demo').revision).not.toBe((await test.context.templates.list())[0]?.revision)
})

it('an upgrade with a loss of data that fails puts the data back', async () => {
  await test.perform('add', { name: 'demo' })
  const migrate = "update note set text = 'spoilt'"
  await publish({ changes: { steps: [narrowed], losses: [loss] }, migrate, start: 'fail' })
  await expect(test.perform('upgrade', { name: 'demo', destructive: true })).rejects.toMatchObject({
    code: 'ERR_ROLLED_BACK',
  })
  const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
  expect(database.prepare('select text from note').all()).toEqual([{ text: 'first' }])
  database.close()
  expect((await processOf('demo')).version).toBe('1.0.0')
})
