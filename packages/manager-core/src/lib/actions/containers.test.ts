import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Action } from '../action.js'
import { withParts, type Ability } from '../domain/ability.js'
import type { Caller } from '../domain/caller.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { testInstance } from '../testing/made-up-operation.js'
import { actions } from './index.js'

let test: TestManager
beforeAll(async () => {
  test = await createTestManager({ refresh: false })
  test.context.registry.transaction((writer) =>
    writer.insertInstance(testInstance({ id: 'iboxed', name: 'boxed', port: 20_000, runtime: 'container' })),
  )
})
afterAll(() => test.close())

const named = (name: string) => actions.find((one) => one.name === name) as Action
const by = (ability: Ability): Pick<Caller, 'surface' | 'grant'> => ({
  surface: 'api',
  grant: { abilities: withParts([ability]), scope: { all: true } },
})

const aliases = [
  ['container del', 'delete'],
  ['container start', 'start'],
  ['container stop', 'stop'],
  ['container restart', 'restart'],
  ['container save', 'save'],
  ['container logs', 'logs'],
  ['container database', 'database'],
  ['container add', 'add'],
  ['container list', 'list'],
] as const

it.each(aliases)('%s has the rights, the risks and the surfaces of %s', (alias, name) => {
  const of = ({ ability, mutating, destructive, surfaces, direct }: Action) => ({
    ...{ ability, mutating, destructive, surfaces, direct },
  })
  expect(of(named(alias))).toEqual(of(named(name)))
})

it('container del is refused without the ability of delete', async () => {
  const call = () => test.perform('container del', { name: 'boxed' }, { ...by('operate'), dryRun: true })
  await expect(call()).rejects.toMatchObject({ code: 'ERR_ACCESS', message: expect.stringContaining('"admin"') })
})

it('a row that calls another one needs the rights of that, whatever its own are', async () => {
  const input = { name: 'boxed' }
  const call = { context: test.context, caller: { ...test.caller, ...by('operate'), dryRun: true }, input }
  await expect(named('container del').handler(call)).rejects.toMatchObject({ code: 'ERR_ACCESS' })
})

it('container add takes a version, or an instance to clone', async () => {
  const call = (from: string) => test.perform('container add', { name: 'newone', from }, { dryRun: true })
  await expect(call('9.9')).rejects.toMatchObject({ message: expect.stringContaining('"9.9"') })
})

it('hooks are left out on the command line alone', async () => {
  const stepsOf = async (more: Partial<Caller>) =>
    (await test.perform('container del', { name: 'boxed' }, { ...more, dryRun: true })).plan?.steps.map(({ id }) => id)
  expect(await stepsOf(by('admin'))).toContain('pre-del')
  expect(await stepsOf({})).not.toContain('pre-del')
})

it('rows call others by performRow() alone, which checks their rights', () => {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'))
  const calling = files.filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('.handler('))
  expect(calling).toEqual(['define-action.ts'])
})
