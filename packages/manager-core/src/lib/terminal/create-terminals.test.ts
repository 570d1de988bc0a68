import { expect, it, onTestFinished } from 'vitest'
import type { Ability } from '../domain/ability.js'
import type { Caller } from '../domain/caller.js'
import { fullGrant, type Grant } from '../domain/grant.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { scopedTo } from '../testing/scoped-to.js'
import { createTerminals } from './create-terminals.js'

const caller: Caller = { actor: 'admin', surface: 'api', address: '192.0.2.7', grant: fullGrant }
const isRoot = process.getuid?.() === 0

async function terminals(...config: readonly string[]) {
  const test = await createTestManager({ refresh: false, config })
  onTestFinished(() => test.close())
  return { ...createTerminals(test.context), test }
}

it('a terminal is there when it is switched on, and the password is not the default one', async () => {
  const off = await terminals('APPS_PASSWORD=secret')
  expect(() => off.check(caller)).toThrow(expect.objectContaining({ code: 'ERR_STATE' }))
  const open = await terminals('APPS_TERMINAL=yes')
  expect(() => open.check(caller)).toThrow(expect.objectContaining({ code: 'ERR_SETTINGS' }))
})

it('a terminal is for administrators; refusals are in the history', async () => {
  const { check, test } = await terminals('APPS_TERMINAL=yes', 'APPS_PASSWORD=secret')
  const only = (ability: Ability): Grant => ({ abilities: new Set([ability]), scope: { all: true } })
  expect(() => check(caller)).not.toThrow()
  expect(() => check(caller, '../demo')).toThrow(expect.objectContaining({ code: 'ERR_NOT_FOUND' }))
  const refused = expect.objectContaining({ code: 'ERR_ACCESS' })
  expect(() => check({ ...caller, ...scopedTo('a') })).toThrow(refused)
  expect(() => check({ ...caller, actor: 'token a', grant: only('admin') })).toThrow(refused)
  expect(() => check({ ...caller, actor: 'token b', grant: only('sensitive') })).toThrow(refused)
  const { list } = await test.perform('history')
  expect(list).toMatchObject([
    { actor: 'admin', action: 'terminal', result: 'refused', address: '192.0.2.7' },
    { actor: 'token a', result: 'refused' },
    { actor: 'token b', result: 'refused' },
  ])
})

it('a terminal never runs as root', async () => {
  for (const [user, problem] of [
    [undefined, 'terminals never do'],
    ['root', 'is root'],
    ['no-such-user', 'The user "no-such-user"'],
  ] as const) {
    const config = ['APPS_TERMINAL=yes', 'APPS_PASSWORD=secret', ...(user === undefined ? [] : [`APPS_USER=${user}`])]
    const { open, test } = await terminals(...config)
    const opened = open(caller)
    if (isRoot) {
      await expect(opened).rejects.toMatchObject({ code: 'ERR_SETTINGS', message: expect.stringContaining(problem) })
      expect((await test.perform('history')).list).toMatchObject([{ action: 'terminal', result: 'failed' }])
    } else {
      const { command, ended } = await opened
      expect(command[0]).toBe('/bin/sh')
      await ended('the test is over')
    }
  }
})

it('a terminal gets no secrets of the server', async () => {
  process.env['MADE_UP_SECRET'] = 's3cret'
  onTestFinished(() => void delete process.env['MADE_UP_SECRET'])
  const { open, test } = await terminals('APPS_TERMINAL=yes', 'APPS_PASSWORD=s3cret', 'APPS_USER=nobody')
  const { environment, command, ended } = await open(caller)
  expect(JSON.stringify({ environment, command })).not.toContain('s3cret')
  expect(environment).toMatchObject({ APPS_HOME: test.home, TERM: 'xterm-256color' })
  await ended('the test is over')
  expect((await test.perform('history')).list?.at(-1)).toMatchObject({ message: 'Terminal closed: the test is over' })
})
