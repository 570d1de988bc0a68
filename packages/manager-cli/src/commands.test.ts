import { rmSync } from 'node:fs'
import { actions, findAction, type Action, type Manager } from '@steward/manager-core'
import { createTestHome } from '@steward/manager-core/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { run } from './lib/running-for-test.js'

const home = createTestHome()
afterAll(() => rmSync(home, { recursive: true, force: true }))

const env = { APPS_HOME: home, HOME: home, PATH: process.env.PATH }
const commands = actions.filter(({ surfaces }) => surfaces === undefined || surfaces.includes('cli'))
/** @param name of one or two words */
const cli = (name: string, ...args: string[]) => run([...name.split(' '), ...args], { cwd: home, env })

/** Takes every command and does nothing. */
const idle = (): Manager => ({
  actions,
  context: undefined as never,
  perform: async (name) => ({ message: name, list: [] }),
  begin: async (name) => name,
  close() {},
})

/** Splits as a shell does, as far as examples need it; where standard input comes from is not an argument. */
function words(line: string): string[] {
  return [...line.replace(/ < [\w-]+$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  )
}

const about = ({ parameters = [] }: Action) => (parameters[0]?.required ? parameters[0].type : undefined)

describe.each(commands)('$name', (action) => {
  const { name, summary, examples, parameters = [], options = [] } = action
  // The least that is a whole command; a "1" fits most types.
  const least = parameters.filter(({ required }) => required).map(({ choices }) => choices?.[0] ?? 'nosuch')

  test('has help with its summary and examples, which are right', async () => {
    const { code, out, err } = await run([...name.split(' '), '--help'], { createManager: idle })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.replaceAll(/\s+/g, ' ')).toContain(summary.replaceAll(/\s+/g, ' '))
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(out).toContain(`manager ${example}`)
      const [first = '', second = ''] = words(example)
      expect(findAction(`${first} ${second}`) ?? findAction(first)).toBeDefined()
      expect(await run([...words(example), '--yes', '--quiet'], { createManager: idle })).toMatchObject({
        code: 0,
        err: '',
      })
    }
  })

  test('names what is wrong in its arguments and options', async () => {
    const unknown = await cli(name, ...least, '--no-such-option')
    expect(unknown).toMatchObject({ code: 2, out: '' })
    expect(unknown.err).toContain('--no-such-option')
    if (least.length > 0) expect(await cli(name)).toMatchObject({ code: 2, out: '' })
    if (!parameters.some(({ variadic }) => variadic)) {
      const many = [...parameters.map(() => 'nosuch'), 'more']
      expect(await cli(name, ...many)).toMatchObject({ code: 2, out: '' })
    }
    for (const { name: option, type, choices } of options) {
      if (type !== 'integer' && type !== 'yes-no' && !choices) continue
      const { code, json } = await cli(
        name,
        ...least,
        `--${option.replaceAll('_', '-')}`,
        'nonsense!',
        '--yes',
        '--json',
      )
      expect({ code, json }).toMatchObject({ code: 2, json: { status: 2, code: 'ERR_USAGE' } })
      expect(json.message).toContain('nonsense!')
    }
  })

  if (about(action) === 'instance')
    test('says that an instance is not there', async () => {
      // What the names of all commands go through is one function: the odd ones are for one command only.
      for (const wrong of name === 'get' ? ['nosuch', '..', 'a b', 'é'.repeat(300), '%00', '*'] : ['nosuch', '..']) {
        const { code, json } = await cli(name, wrong, ...least.slice(1), '--yes', '--json')
        expect({ wrong, code, json }).toMatchObject({ code: 3, json: { code: 'ERR_NOT_FOUND' } })
        expect(json.message.length).toBeLessThan(200)
      }
    })

  if (action.destructive)
    test('is not done without a question', async () => {
      const lossy = action.destructiveWith === undefined ? [] : [`--${action.destructiveWith}`]
      // What is not there cannot be lost, and says so.
      const question = {
        code: expect.toBeOneOf([3, 4]),
        json: { code: expect.toBeOneOf(['ERR_CONFIRMATION', 'ERR_NOT_FOUND']) },
      }
      expect(await cli(name, ...least, ...lossy, '--json')).toMatchObject(question)
      if (lossy.length > 0)
        expect(await cli(name, ...least, '--json')).not.toMatchObject({ json: { code: 'ERR_CONFIRMATION' } })
    })
})

test('names of commands, aliases and options are unique', () => {
  const names = actions.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect(names).toEqual([...new Set(names)])
  for (const { parameters = [], options = [] } of actions) {
    const inputs = [...parameters, ...options].map(({ name }) => name)
    expect(inputs).toEqual([...new Set(inputs)])
    const shorts = options.flatMap(({ short }) => short ?? [])
    expect(shorts).toEqual([...new Set(shorts)])
  }
})

test('a home that is none says how one is made', async () => {
  const { code, err } = await run(['list'], { env: { HOME: '/nowhere' } })
  expect(code).toBe(3)
  expect(err).toBe(`manager: /nowhere/.steward is not a manager's home: it has no config.sh.
  Create a home there with "manager init", or name another folder with --home or APPS_HOME.
  Try: manager init --home /nowhere/.steward
`)
})
