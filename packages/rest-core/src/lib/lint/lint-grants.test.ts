import { expect, test } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { systemObjects } from '../system/system-objects.js'
import { lintGrants } from './lint-grants.js'
import { readGrants, type GroupGrant } from './read-grants.js'

const Ticket = defineObject({
  name: 'Ticket',
  fields: {
    tic_code: { type: 'string', key: true },
    tic_agent: { type: 'string' },
    tic_price: { type: 'decimal' },
    tic_state: { type: 'enum', values: ['open', 'closed'] },
  },
  states: { field: 'tic_state', transitions: [{ from: 'open', to: 'closed', groups: ['CHIEFS'] }] },
  publications: { list: { format: 'csv', scope: 'global' } },
})
const model = createModel([...systemObjects, Ticket])

function lint(grants: readonly Partial<GroupGrant>[], publicGroups?: readonly string[]) {
  return lintGrants(model, {
    groups: ['AGENTS', 'CHIEFS'],
    grants: grants.map((grant) => ({ group: 'AGENTS', object: 'Ticket', letters: 'R', ...grant })),
    ...(publicGroups && { publicUser: { login: 'guest', groups: publicGroups } }),
  })
}

test('lintGrants() finds nothing in grants that limit what they name', () => {
  expect(
    lint([{ letters: 'CRU', filter: "created_by = [LOGIN] and tic_state <> 'closed'", hidden: ['tic_price'] }]),
  ).toEqual([])
})

test('grant-unknown-name: objects, hidden fields, publications and filters that are not there any more', () => {
  expect(lint([{ object: 'Gone' }])).toMatchObject([{ rule: 'grant-unknown-name', severity: 'warning' }])
  expect(lint([{ hidden: ['tic_cost'] }])).toMatchObject([{ rule: 'grant-unknown-name', severity: 'error' }])
  expect(lint([{ publications: ['letter'] }])).toMatchObject([{ rule: 'grant-unknown-name', severity: 'warning' }])
  const [filter] = lint([{ filter: 'tic_owner = [LOGIN]' }])
  expect(filter).toMatchObject({ rule: 'grant-unknown-name', severity: 'error' })
  expect(filter?.message).toContain('tic_owner')
})

test('grant-all-objects: a grant on * includes users and grants, but for administrators', () => {
  expect(lint([{ object: '*' }])).toMatchObject([{ rule: 'grant-all-objects' }])
  expect(lint([{ object: '*', group: 'ADMIN' }])).toEqual([])
})

test.each([{ filter: 'created_by = [LOGIN]' }, { hidden: ['tic_price'] }, { publications: ['list'] }])(
  'grant-widened: %j has no effect beside a grant without it',
  (limit) => {
    const found = lint([limit, { object: '*' }]).filter(({ rule }) => rule === 'grant-widened')
    expect(found).toMatchObject([{ severity: 'error' }])
    expect(lint([limit, { object: '*', letters: 'D' }]).filter(({ rule }) => rule === 'grant-widened')).toEqual([])
    expect(lint([limit, { object: 'Ticket', group: 'CHIEFS' }])).toEqual([])
  },
)

test('public-rights: calls without credentials may write, or do everything', () => {
  expect(lint([{ letters: 'CR' }], ['AGENTS'])).toMatchObject([{ rule: 'public-rights', severity: 'warning' }])
  expect(lint([{ letters: 'RU' }], ['AGENTS'])).toMatchObject([{ rule: 'public-rights', severity: 'error' }])
  expect(lint([{ letters: 'CRU' }], ['CHIEFS'])).toEqual([])
  expect(lint([], ['ADMIN'])).toMatchObject([{ rule: 'public-rights', severity: 'error' }])
})

test.each([
  ['tic_agent = [LOGIN]', 1],
  ["tic_code like '%x'", 1],
  ["tic_code = 'a' or tic_agent = 'b'", 1],
  ["tic_code like 'x%'", 0],
  ["tic_code = 'a' and tic_agent = 'b'", 0],
  ["tic_agent <> 'a'", 0],
  ['created_by = [LOGIN]', 0],
])('slow-filter: %s', (filter, count) => {
  expect(lint([{ filter }]).map(({ rule }) => rule)).toEqual(Array.from({ length: count }, () => 'slow-filter'))
})

test('unknown-group: a transition is for a group that does not exist', () => {
  const found = lintGrants(model, { groups: ['AGENTS'], grants: [] })
  expect(found).toMatchObject([{ rule: 'unknown-group', object: 'Ticket', path: ['states'] }])
})

test('readGrants() reads groups, grants and the groups of the public user', async () => {
  const store = createMemoryStore()
  const service = createBusinessObjects({ model, store })
  const system = systemPrincipal()
  const { row_id: group } = await service.create(system, 'Group', { grp_name: 'AGENTS' })
  await service.create(system, 'Grant', {
    grt_group_id: group,
    grt_object: 'Ticket',
    grt_rights: 'R',
    grt_hidden_fields: 'tic_price, tic_agent',
  })
  const { row_id: user } = await service.create(system, 'User', { usr_login: 'guest', usr_password: 'passport' })
  await service.create(system, 'Responsibility', { rsp_login_id: user, rsp_group_id: group })
  expect(await readGrants(model, store, 'guest')).toMatchObject({
    groups: ['AGENTS'],
    grants: [{ group: 'AGENTS', object: 'Ticket', letters: 'R', hidden: ['tic_price', 'tic_agent'] }],
    publicUser: { login: 'guest', groups: ['AGENTS'] },
  })
})
