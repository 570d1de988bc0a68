/**
 * @module-tag mixed
 * @module-tag continued
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StepTitle } from '../domain/caller.js'
import type { Json } from '../domain/json.js'
import { bundledManager, crashAction } from '../testing/bundled-manager.js'
import type { TestManager } from '../testing/create-test-manager.js'
import { authorizationOf, createRealManager } from '../testing/real-manager.js'

const rules = fileURLToPath(new URL('../../../../../examples/anonymise/rules.yaml', import.meta.url))
const limit = 120_000

let manager: TestManager
/** The steps of the clone in the first test. */
let steps: readonly StepTitle[]

beforeAll(async () => {
  manager = await createRealManager()
  await manager.perform('add', { name: 'demo' })
}, limit)
afterAll(() => manager?.close())

/** Uses the REST service of an instance, as its administrator with the password of its settings. */
async function post(name: string, object: string, record: object): Promise<{ readonly row_id: string }> {
  const response = await fetch(`http://127.0.0.1:${manager.instance(name).port}/api/rest/${object}`, {
    method: 'POST',
    headers: { Authorization: await authorizationOf(manager, name), 'Content-Type': 'application/json' },
    body: JSON.stringify(record),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { readonly row_id: string }
}

function query(name: string, sql: string): readonly Record<string, Json>[] {
  const database = new DatabaseSync(manager.path(name, 'data', 'database.db'), { readOnly: true })
  try {
    return database.prepare(sql).all() as Record<string, Json>[]
  } finally {
    database.close()
  }
}

/** Everything that a folder holds, in no particular order. */
function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

test(
  'a clone by the rules of the example holds nothing personal, works, and is neutralised',
  { tags: 'core', timeout: limit },
  async () => {
    const { perform, path } = manager
    const company = await post('demo', 'Company', { com_name: 'Zyxomme SARL', com_address: 'rue Zyxomme 1' })
    const people = [1, 2, 3].map((number) => ({
      ...{ con_email: `zyxomme${number}@zyxomme.fr`, con_firstname: 'Zyx', con_lastname: `Zyxomme ${number}` },
      ...{ con_company_id: company.row_id, con_birthday: '1980-02-29', con_notes: 'Zyxomme is ill' },
    }))
    for (const person of people) await post('demo', 'Contact', person)
    await post('demo', 'User', { usr_login: 'zyxomme', usr_password: 'zyxomme-1', usr_email: 'z@zyxomme.fr' })
    mkdirSync(path('demo', 'data', 'documents'), { recursive: true })
    for (const name of ['documents/letter', 'old.csv']) writeFileSync(path('demo', 'data', name), 'Dear Zyxomme')

    const input = { name: 'demo', new: 'test', anonymise: rules }
    const preview = await perform('clone', input, { dryRun: true })
    const { message, list, item, warnings } = await perform('clone', input)
    expect(message).toMatch(/^Instance "test" \(a clone of "demo", sqlite\) is started/)
    expect({ item, warnings }).toMatchObject({ item: { name: 'test', status: 'started' }, warnings: undefined })
    expect(preview.list).toEqual(list?.map((row) => ({ ...(row as object), changed: undefined })))
    steps = preview.plan?.steps ?? []
    const order = ['layout', 'settings', 'neutralise', 'database', 'data', 'administrator', 'place', 'define', 'start']
    expect(steps.map(({ id }) => id)).toEqual(expect.arrayContaining(order))

    expect(contentOf(path('demo'))).toMatch(/zyxomme/i)
    expect(contentOf(path('test'))).not.toMatch(/zyxomme/i)
    expect(readdirSync(path('test', 'data'))).not.toContain('documents')
    expect((await perform('get', { name: 'test' })).item).toMatchObject({ neutralised: 'yes' })

    const contacts =
      'select row_id, con_email, con_lastname, con_company_id, con_birthday, con_notes from contact order by row_id'
    const [before, after] = [query('demo', contacts), query('test', contacts)]
    const changed = before.length
    expect(list).toContainEqual({ object: 'Contact', field: 'con_email', rule: 'fake email', changed, looks: 'e-mail' })
    expect(after.map(({ row_id, con_company_id }) => [row_id, con_company_id])).toEqual(
      before.map(({ row_id, con_company_id }) => [row_id, con_company_id]),
    )
    expect(new Set(after.map(({ con_email }) => con_email)).size).toBe(before.length)
    for (const { con_email: email, con_notes: notes } of after) {
      expect(email).toMatch(/^[a-z]+\.[a-z2-7]{10}@example\.org$/)
      expect(notes).toBe(null)
    }
    expect(after.at(-1)?.con_birthday).toMatch(/^1980-/)
    expect(query('test', 'pragma foreign_key_check')).toEqual([])

    const [made, admin] = query(
      'test',
      `select usr_login, usr_password from sys_user order by usr_login <> 'admin' desc`,
    )
    expect(made).toEqual({ usr_login: expect.stringMatching(/^[a-z]+\.[a-z2-7]{10}$/) as string, usr_password: null })
    expect(admin).toMatchObject({ usr_login: 'admin' })
    // With the password of the clone's settings.
    await post('test', 'Company', { com_name: 'New' })

    const file = path('test', 'anonymisation.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ source: 'demo', rules: 'rules.yaml', columns: list })
  },
)

test('a clone has the documents of records that a rule keeps, and no others', { timeout: limit }, async () => {
  const { perform, path, folder } = manager
  const authorization = await authorizationOf(manager, 'demo')
  const { port } = manager.instance('demo')
  const upload = async (name: string) => {
    const { row_id: id } = await post('demo', 'Company', { com_name: name })
    const address = `http://127.0.0.1:${port}/api/rest/Company/${id}/_document/com_logo`
    const headers = {
      Authorization: authorization,
      'Content-Type': 'image/svg+xml',
      'Content-Disposition': 'attachment; filename="l.svg"',
    }
    const body = `<svg xmlns="http://www.w3.org/2000/svg"><title>Portrait of ${name}</title></svg>`
    expect((await fetch(address, { method: 'PUT', headers, body })).status).toBe(200)
    return id
  }
  await upload('Wanted')
  const removed = await upload('Unwanted')
  await fetch(`http://127.0.0.1:${port}/api/rest/Company/${removed}`, {
    method: 'PUT',
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ com_logo: '' }),
  })
  // As one that was left: no record has it.
  mkdirSync(path('demo', 'data', 'documents', 'ab', 'ab000000-0000-4000-8000-000000000000'), { recursive: true })
  writeFileSync(
    path('demo', 'data', 'documents', 'ab', 'ab000000-0000-4000-8000-000000000000', 'content'),
    'Portrait of Nobody',
  )
  const clone = async (name: string, text: string) => {
    const file = join(folder, `${name}.yaml`)
    writeFileSync(file, text)
    await perform('clone', { name: 'demo', new: name, anonymise: file })
    return contentOf(path(name, 'data')).match(/Portrait of \w+/g) ?? []
  }
  expect(await clone('unnamed', 'objects: {}\n')).toEqual([])
  expect(await clone('emptied', 'documents: keep\nobjects: { Company: { com_logo: null } }\n')).toEqual([])
  expect(await clone('named', 'objects: { Company: { com_logo: keep } }\n')).toEqual(['Portrait of Wanted'])
})

test(
  'rules that do not fit are refused before anything is done, and what has no rule is reported',
  { timeout: limit },
  async () => {
    const { perform, folder, home } = manager
    const file = join(folder, 'own.yaml')
    const clone = (text: string, options = {}) => {
      writeFileSync(file, text)
      return perform('clone', { name: 'demo', new: 'other', anonymise: file }, options)
    }
    const before = readdirSync(join(home, 'instances'))
    await expect(clone('objects:\n  Contact:\n    con_emial: hash\n')).rejects.toMatchObject({
      code: 'ERR_SETTINGS',
      message: 'own.yaml, line 3: "con_emial" of Contact is not known.',
      help: 'Did you mean "con_email"?',
    })
    await expect(perform('clone', { name: 'demo', new: 'other', anonymise: '/no/such' })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    await expect(perform('clone', { name: 'demo', new: 'other', anonymise: home })).rejects.toMatchObject({
      message: expect.stringContaining('is not a rules file') as string,
    })
    await expect(perform('clone', { name: 'demo', new: 'other', anonymise: '' })).rejects.toMatchObject({
      code: 'ERR_USAGE',
    })
    await expect(clone('locale: xx\nobjects: { Contact: { con_email: fake } }')).rejects.toMatchObject({
      message: 'Values cannot be generated for the locale "xx".',
    })
    const { warnings = [] } = await clone('objects:\n  contact.con_email: hash\n', { dryRun: true })
    expect(warnings[0]).toContain('Contact.con_lastname (last name)')
    expect(warnings[0]).not.toContain('con_email')
    expect(warnings[1]).toBeUndefined()
    const kept = await clone('documents: keep\nobjects: {}\n', { dryRun: true })
    expect(kept.warnings?.[1]).toContain('Documents and images of Company.com_logo are copied unchanged')
    expect(readdirSync(join(home, 'instances'))).toEqual(before)
  },
)

test(
  'one that is killed when its data is there is undone, and its source keeps running',
  { timeout: limit },
  async () => {
    const { perform, home, folder, instance } = manager
    const input = { name: 'demo', new: 'killed', anonymise: rules }
    const { program } = await bundledManager()
    // Planned and running, then three entries per step, the second of them when it is done.
    const at = 2 + 3 * steps.findIndex(({ id }) => id === 'data') + 2
    const { context } = manager
    const run = { home, applicationServer: context.applicationServer, defaultTemplate: context.defaultTemplate, at }
    const temporary = join(folder, 'temporary')
    mkdirSync(temporary)
    const before = readdirSync(join(home, 'instances')).toSorted()
    expect(await crashAction(program, { ...run, action: 'clone', input }, { TMPDIR: temporary })).toBe(undefined)
    const [left] = readdirSync(join(home, 'instances')).filter((name) => !before.includes(name))
    expect(contentOf(join(home, 'instances', left as string))).toContain('@example.org')
    expect(contentOf(join(home, 'instances', left as string))).not.toMatch(/zyxomme/i)
    // Programs keep their compiled code.
    expect(readdirSync(temporary).filter((name) => !name.startsWith('steward-code-'))).toEqual([])
    await perform('list')
    expect(readdirSync(join(home, 'instances')).toSorted()).toEqual(before)
    expect(instance('demo').observed).toBe('started')
  },
)
