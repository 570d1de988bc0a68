import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findAction } from '@steward/manager-core'
import { describe, expect, it } from 'vitest'
import { inApiTerms, textInApiTerms } from './api-terms.js'
import { readCall } from './read-call.js'

describe('textInApiTerms()', () => {
  it.each([
    [
      'Log in as admin. To show the password: manager iocredentials demo',
      'Log in as admin. To show the password: GET /api?action=iocredentials&name=demo',
    ],
    [
      'Create one (manager isolate demo), then start it again.',
      'Create one (GET /api?action=isolate&name=demo), then start it again.',
    ],
    [
      'Fix this, then run manager doctor --fix. To leave it as it is: manager giveup op-1.',
      'Fix this, then run manager doctor --fix. To leave it as it is: GET /api?action=giveup&operation=op-1.',
    ],
    ['manager backups verify demo --deep and wait', 'GET /api?action=backups-verify&name=demo&deep=true and wait'],
    [
      'run: manager upgrade demo --force, or manager restore demo --only app',
      'run: GET /api?action=upgrade&name=demo&force=true, or GET /api?action=restore&name=demo&only=app',
    ],
    ['Then run manager refresh and start it.', 'Then run GET /api?action=refresh and start it.'],
    ['Rename it: manager rename demo <name>', 'Rename it: GET /api?action=rename&name=demo&new=<name>'],
    ['The manager runs as root; another manager stored it.', 'The manager runs as root; another manager stored it.'],
  ])('%s', (text, expected) => {
    expect(textInApiTerms(text, '')).toBe(expected)
  })

  // Each text of the manager, with what is filled in replaced by a word.
  const root = fileURLToPath(new URL('../../../../manager-core/src/lib', import.meta.url))
  const files = globSync('**/*.ts', { cwd: root }).filter((file) => !/test|testing/.test(file))
  const said = files.flatMap((file) =>
    [
      ...readFileSync(`${root}/${file}`, 'utf8').matchAll(
        /(['`])((?:(?!\1)[^\\\n])*\bmanager [a-z](?:(?!\1)[^\\\n])*)\1/g,
      ),
    ].map(([, , text = '']) => text.replaceAll(/\$\{[^}]*\}/g, 'word')),
  )

  it('names a call of the API for each command in texts of the manager that the API has', () => {
    expect(said.length).toBeGreaterThan(100)
    const calls = said.flatMap((text) => [
      ...textInApiTerms(text, '').matchAll(/GET \/api\?([^\s,;)"]*?)\.?(?=[\s,;)"]|$)/g),
    ])
    expect(calls.length).toBeGreaterThan(40)
    for (const [, query = ''] of calls) {
      const params = Object.fromEntries(new URLSearchParams(query))
      // Its parameters are those of the action; it does not throw.
      expect(readCall(params).action.name.replaceAll(' ', '-')).toBe(params['action'])
    }
    const left = said
      .map((text) => textInApiTerms(text, ''))
      .flatMap((text) => [...text.matchAll(/\bmanager ([a-z]+(?: [a-z]+)?)/g)].map(([, name = '']) => name))
      .flatMap((name) => findAction(name) ?? findAction(name.split(' ')[0] ?? '') ?? [])
      .filter(({ surfaces = ['api'] }) => surfaces.includes('api'))
      .map(({ name }) => name)
    // Repairs are for the command line: doctor --fix, --adopt, --rebuild.
    expect([...new Set(left)]).toEqual(['doctor'])
  })
})

it('inApiTerms() changes texts for people, and adds a call to a command', () => {
  const answer = {
    ...{
      status: 4,
      code: 'ERR_PROTECTED',
      message: 'No.',
      help: 'Run: manager unprotect demo',
      command: 'unprotect demo',
    },
    list: [{ name: 'manager start demo', help: 'manager start demo' }],
    warnings: ['manager save demo'],
  } as const
  expect(inApiTerms(answer as unknown as Parameters<typeof inApiTerms>[0], '/apps')).toEqual({
    ...answer,
    help: 'Run: GET /apps/api?action=unprotect&name=demo',
    call: '/apps/api?action=unprotect&name=demo',
    list: [{ name: 'manager start demo', help: 'GET /apps/api?action=start&name=demo' }],
    warnings: ['GET /apps/api?action=save&name=demo'],
  })
})
