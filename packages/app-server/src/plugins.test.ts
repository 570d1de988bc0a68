import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, makeFolder, runHere, startApp } from './running-app-for-test.js'
import type { RunningApp } from './running-app-for-test.js'

const removals: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const remove of removals) await remove()
})

/** A package of the application that can only be imported. */
function packageFiles(name: string, code: string): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({
      name,
      version: '1.0.0',
      exports: { import: './index.mjs' },
    }),
    [`node_modules/${name}/index.mjs`]: code,
  }
}

async function folderOf(appYaml: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const { folder, remove } = await makeFolder({
    'app.yaml': `name: bank\nversion: 1.0.0\nlog: { level: warn }\n${appYaml}`,
    'objects/account.yaml':
      'name: Account\nfields:\n  acc_name: { type: string, key: true }\n  acc_paper: { type: document }\n',
    ...files,
  })
  removals.push(remove)
  return folder
}

const iban = '@steward/example-field-type-iban'
const dedupe = '@steward/example-document-store-dedupe'

describe('an application with packages of each kind', () => {
  let app: RunningApp
  beforeAll(async () => {
    const folder = await folderOf(
      `fieldTypes: ['${iban}', '@own/even']
documents: { package: '${dedupe}', options: { folder: papers } }
authenticator: { package: '@own/fixed', options: { word: '\${FIXED_WORD}' } }
`,
      {
        'objects/account.yaml': `name: Account
fields:
  acc_number: { type: x-iban, key: true, options: { countries: [DE] } }
  acc_seats: { type: x-even }
  acc_paper: { type: document }
`,
        ...packageFiles(
          '@own/even',
          `export const fieldTypes = [{ name: 'x-even', summary: 'even number', base: 'integer',
             check: (value) => Number(value) % 2 === 0 ? undefined : 'must be even' }]`,
        ),
        ...packageFiles(
          '@own/fixed',
          `import { RestError } from '@steward/rest-core/errors'
           export const authenticator = { open: ({ word }, { users }) => ({
             async verifyPassword(login, password) {
               if (login === 'broken') throw new RestError('ERR_UNAVAILABLE', 'The directory is away.')
               return password === word ? users.principalOfLogin(login) : undefined
             },
             principalOf: (id) => users.principalOf(id),
           }) }`,
        ),
      },
    )
    app = await startApp([folder], { env: { FIXED_WORD: 'open-sesame', STEWARD_ADMIN_PASSWORD: 's3cret-word' } })
  })
  afterAll(() => app?.end('SIGKILL'))

  async function call(path: string, body?: object, as: [string, string] = ['admin', 'open-sesame']) {
    const answer = await fetch(`${app.origin}/api/rest/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...basic(...as), 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  test('field types hold for records, filters and the documentation', async () => {
    const made = await call('Account', { acc_number: 'de89 3704 0044 0532 0130 00', acc_seats: 4 })
    expect(made).toMatchObject({ status: 200, text: expect.stringContaining('"DE89370400440532013000"') as string })
    expect((await call('Account/?acc_number=DE89%203704%200044%200532%200130%2000')).text).toContain('"acc_seats":4')
    expect(await call('Account', { acc_number: 'DE89370400440532013001' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('check digits') as string,
    })
    expect(await call('Account', { acc_number: 'DE89370400440532013000', acc_seats: 3 })).toMatchObject({ status: 400 })
    expect((await call('_doc?_output=openapi')).text).toContain('^[A-Z]{2}[0-9]{2}')
  })

  test('documents are kept by the package, in its folder of the data', async () => {
    const content = Buffer.from('signed').toString('base64')
    const { text } = await call('Account', {
      acc_number: 'DE02120300000000202051',
      acc_paper: { name: 'paper.txt', content },
    })
    const { row_id: id } = JSON.parse(text) as { row_id: string }
    expect(await call(`Account/${id}/_document/acc_paper`)).toEqual({ status: 200, text: 'signed' })
  })

  test('passwords are checked by the package alone, and its errors are answers', async () => {
    expect((await call('User/?_count=true')).status).toBe(200)
    expect((await call('User/', undefined, ['admin', 's3cret-word'])).status).toBe(401)
    expect(await call('User/', undefined, ['broken', 'x'])).toMatchObject({ status: 503 })
  })

  test('the secret stands in nothing that is printed', () => {
    expect(app.output() + app.errors()).not.toContain('open-sesame')
  })
})

describe('what cannot be used is reported before anything is created', () => {
  const broken = packageFiles('@own/broken', `throw new Error('needs Node 99')`)
  const empty = packageFiles('@own/empty', 'export const other = 1')

  test.each([
    [
      'fieldTypes: [missing-types]',
      'fieldTypes: the package missing-types is not installed; install it in the application',
    ],
    ['fieldTypes: ["@own/broken"]', 'fieldTypes: the package @own/broken cannot be loaded: needs Node 99'],
    ['fieldTypes: ["@own/empty"]', 'the package @own/empty exports no "fieldType" and no "fieldTypes"'],
    ['fieldTypes: ["../../etc"]', 'fieldTypes.0 must match'],
    ['documents: { package: missing-store }', 'documents: the package missing-store is not installed'],
    ['documents: { package: "@own/empty" }', 'exports no "documents" with a function "open"'],
    [
      `documents: { package: "${dedupe}", options: { bucket: x } }`,
      `${dedupe} cannot be used: There is no option "bucket"`,
    ],
    ['documents: 5', 'documents must be text or'],
    ['authenticator: { package: "@own/empty" }', 'exports no "authenticator" with a function "open"'],
    [
      'authenticator: { package: "@steward/example-authenticator-ldap", options: { url: "${NOT_SET}" } }',
      'app.yaml: authenticator.options.url: the environment variable NOT_SET is not set.',
    ],
    ['authenticator: { options: {} }', 'authenticator needs "package"'],
  ])('%s', async (line, expected) => {
    const folder = await folderOf(`${line}\n`, { ...broken, ...empty })
    const { code, errors } = await runHere([folder])
    expect(errors).toContain(expected)
    expect(code).toBe(1)
  })

  test('--check reports it, too, and what keeps the documents', async () => {
    const bad = await folderOf('fieldTypes: [missing-types]\n')
    const found = await runHere([bad, '--check'])
    expect(JSON.parse(found.output ?? '')).toMatchObject({
      problems: [expect.stringContaining('missing-types is not installed')],
    })
    const good = await folderOf(`documents: { package: '${dedupe}' }\n`)
    const { output } = await runHere([good, '--check', '--data', join(good, 'data')])
    expect(JSON.parse(output ?? '')).toMatchObject({ problems: [], documentsPackage: dedupe })
  })
})
