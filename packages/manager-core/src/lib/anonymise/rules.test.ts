import { describe, expect, test } from 'vitest'
import type { ManagerError } from '../../errors.js'
import { field, object, user } from './application-for-test.js'
import { looksPersonal } from './personal.js'
import { parseRules } from './read-rules.js'
import { reportOf } from './report.js'
import { resolveRules } from './resolve-rules.js'
import { ruleText } from './rule.js'

const contact = object(
  'Contact',
  [
    field('con_email', { type: 'email', required: true, unique: true }),
    field('con_name', { length: 60, column: 'full_name' }),
    field('con_short', { length: 20 }),
    field('con_company_id', { type: 'reference', references: 'User' }),
    field('con_notes', { type: 'text' }),
    field('con_kind', { type: 'enum' }),
    field('con_vip', { type: 'boolean', empty: false }),
    field('con_photo', { type: 'image' }),
    field('con_day', { type: 'date' }),
  ],
  { key: ['con_short', 'con_day'] },
)
const audit = object('AuditEntry', [field('aud_changes', { type: 'object' })], { system: true })
const application = { documents: '/data/documents', objects: [user, audit, contact] }

function resolve(text: string) {
  return resolveRules(parseRules(text, 'rules.yaml'), application)
}

function failureOf(text: string): ManagerError {
  try {
    resolve(text)
  } catch (error) {
    return error as ManagerError
  }
  throw new Error('It was taken.')
}

describe('a file of rules that is wrong is refused with its line', () => {
  test.each([
    ['', 1, 'it contains no rules'],
    ['- a', 1, 'it contains no rules'],
    ['objects: [', 1, ''],
    ['objects:\n  Contact:\n    con_email: hash\n    con_email: keep\n', 4, 'unique'],
    ['seeds: x', 1, '"seeds" is not known', 'Did you mean "seed"?'],
    ['locale: ../../x', 1, '"../../x" is not a valid locale'],
    ['documents: dropp', 1, '"documents" is one of keep, drop', 'Did you mean "drop"?'],
    ['default: delete', 1, 'the rule "delete" of "default" is not known'],
    ['objects: 3', 1, '"objects" takes rules by object and field'],
    ['objects:\n  Contcat: { con_email: hash }', 2, 'the object "Contcat" is not known', 'Did you mean "Contact"?'],
    ['objects:\n  Contact:\n    con_mail: hash', 3, '"con_mail" of Contact is not known', 'Did you mean "con_email"?'],
    [
      'objects:\n  Contact:\n    con_email: hashh',
      3,
      'the rule "hashh" of "con_email" is not known',
      'Did you mean "hash"?',
    ],
    ['objects:\n  Contact:\n    con_name: { fake: frist }', 3, 'the kind "frist" of made-up values is not known'],
    ['objects:\n  Contact:\n    con_name: { hash: 3 }', 3, '"con_name" takes one of keep, null, fake, hash, shuffle'],
    ['objects:\n  Contact:\n    con_name: hash\n    full_name: keep', 4, '"full_name" of Contact has two rules'],
    ['objects:\n  Contact: hash', 2, '"Contact" is one of keep, drop'],
    [
      'objects:\n  Contact.con_company_id: hash',
      2,
      'hash for "con_company_id" of Contact is not possible: it links records',
    ],
    ['objects: { Contact: { row_id: hash } }', 1, 'it links records'],
    ['objects: { Contact: { con_email: null } }', 1, 'it is required; use fake or hash'],
    ['objects: { Contact: { con_email: { fake: name } } }', 1, 'the type email takes fake email only'],
    ['objects: { Contact: { con_short: { fake: email } } }', 1, 'it takes 20 characters, too few for fake email'],
    ['objects: { Contact: { con_short: shuffle } }', 1, 'it is unique together with con_day'],
    ['objects: { Contact: { con_kind: hash } }', 1, 'values of the type enum cannot be made; use shuffle or null'],
    ['objects: { Contact: { con_vip: null } }', 1, 'it is always true or false'],
    ['objects: { Contact: { con_photo: shuffle } }', 1, 'it takes null or keep'],
    ['objects: { Contact: { con_day: { fake: name } } }', 1, 'the type date takes fake without a kind'],
    ['objects: { User: { usr_login: shuffle } }', 1, 'it is the name of a person in other records'],
    ['objects: { User: { usr_password: fake } }', 1, 'passwords are stored as hashes; use null or keep'],
    ['objects:\n  User: drop', 2, 'User cannot be dropped: Contact.con_company_id refers to it'],
    ['objects: { Contact: { created_by: hash } }', 1, 'follows the rule of User.usr_login'],
  ])('%j', (text, line, message, help = undefined as string | undefined) => {
    const failure = failureOf(text)
    expect(failure).toMatchObject({ code: 'ERR_SETTINGS' })
    expect(failure.message).toMatch(new RegExp(`^rules.yaml, line ${line}: `))
    expect(failure.message).toContain(message)
    if (help !== undefined) expect(failure.help).toBe(help)
  })

  test('all of its mistakes are reported at once', () => {
    const { message, output } = failureOf('objects:\n  Contact: { a: hash, b: keep }\n  Nothing: drop')
    expect(message).toContain('"Nothing"')
    expect(output?.split('\n')).toHaveLength(2)
  })
})

describe('what rules mean for each column', () => {
  const rulesOf = (text: string) =>
    Object.fromEntries(
      resolve(text).objects.flatMap(({ object: { name }, dropped, columns }) =>
        dropped ? [[name, 'drop']] : columns.map(({ field: one, rule }) => [`${name}.${one.name}`, ruleText(rule)]),
      ),
    )

  test('made-up values are of the kind that type or name say', () => {
    expect(
      rulesOf('objects: { t_contact: { con_email: fake, full_name: fake, con_notes: fake, con_day: fake } }'),
    ).toMatchObject({
      'Contact.con_email': 'fake email',
      'Contact.con_name': 'fake name',
      'Contact.con_notes': 'fake text',
      'Contact.con_day': 'fake',
      'Contact.con_kind': 'keep',
    })
  })

  test('the default and "*" change what they can, the default nothing of the system', () => {
    const rules = rulesOf('{ default: hash, objects: { Contact: { con_email: keep } } }')
    expect(rules).toMatchObject({ 'Contact.con_name': 'hash', 'Contact.con_kind': 'keep', 'Contact.con_email': 'keep' })
    expect(rules).toMatchObject({ 'Contact.con_company_id': 'keep', 'User.usr_login': 'keep' })
    expect(rulesOf("objects: { User: { '*': hash }, Contact: { '*': null } }")).toMatchObject({
      ...{ 'User.usr_email': 'hash', 'User.usr_password': 'keep', 'User.created_by': 'hash' },
      ...{ 'Contact.con_notes': 'null', 'Contact.con_email': 'keep', 'Contact.updated_by': 'hash' },
    })
  })

  test('records that are copies of others are dropped unless a rule keeps them', () => {
    expect(rulesOf('objects: {}')).toMatchObject({ AuditEntry: 'drop' })
    expect(rulesOf('objects: { AuditEntry: keep }')).toMatchObject({ 'AuditEntry.aud_changes': 'keep' })
  })

  test('without documents nothing refers to them', () => {
    expect(rulesOf('documents: drop')).toMatchObject({ 'Contact.con_photo': 'null' })
  })
})

describe('what looks personal', () => {
  test.each([
    [field('x', { type: 'email' }), 'e-mail'],
    [field('per_lastName'), 'last name'],
    [field('cli_prenom'), 'first name'],
    [field('x', { label: 'Prénom' }), 'first name'],
    [field('x', { label: 'Date de naissance', type: 'date' }), 'date of birth'],
    [field('con_mobile_phone', { length: 20 }), 'phone'],
    [field('adr_code_postal'), 'zip code'],
    [field('emp_salaire', { type: 'decimal' }), 'pay'],
    [field('x', { type: 'text' }), 'free text'],
    [field('remarques', { type: 'text' }), 'notes'],
    [field('usr_token'), 'secret'],
    [field('civilite', { type: 'enum' }), 'gender'],
    [field('x', { type: 'image' }), 'picture'],
    [field('number', { type: 'integer' }), undefined],
    [field('nombre', { type: 'integer' }), undefined],
    [field('state'), undefined],
    [field('name', { type: 'boolean' }), undefined],
    [field('name', { type: 'reference' }), undefined],
  ])('$name ($label, $type)', (one, what) => {
    expect(looksPersonal(object('Thing', [one]), one)?.what).toBe(what)
  })

  test('is reported when it has no rule; keep is a rule', () => {
    const { columns, unruled, warnings } = reportOf(
      resolve('objects: { Contact: { con_name: keep, con_notes: null } }'),
    )
    expect(unruled).toEqual([
      ...['User.usr_login (login)', 'User.usr_password (password)', 'User.usr_email (e-mail)'],
      'Contact.con_email (e-mail)',
    ])
    expect(columns).toContainEqual({ object: 'Contact', field: 'con_name', rule: 'keep', looks: 'name' })
    expect(columns).toContainEqual({ object: 'AuditEntry', field: '*', rule: 'drop', looks: '' })
    expect(warnings).toHaveLength(1)
  })
})
