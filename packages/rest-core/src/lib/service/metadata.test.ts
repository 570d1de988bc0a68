import { describe, expect, it } from 'vitest'
import { RestError } from '../../errors.js'
import { defineObject } from '../definition/define-object.js'
import type { DocumentStore } from '../documents/document-store.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { createRights, type GrantData } from '../rights/create-rights.js'
import { createBusinessObjects } from './create-business-objects.js'
import type { ObjectHooks } from './hooks.js'

const run = () => null

function setUp(hooks: ObjectHooks = {}) {
  const Ticket = defineObject({
    name: 'Ticket',
    fields: {
      no: { type: 'string', key: true },
      state: { type: 'enum', values: ['new', 'open', 'closed'] },
      owner: { type: 'string' },
    },
    states: {
      field: 'state',
      transitions: [
        { from: 'new', to: 'open' },
        { from: ['new', 'open'], to: 'closed', groups: ['BOSS'] },
        { from: 'closed', to: 'open' },
      ],
    },
    actions: { remind: { run }, tidy: { scope: 'global', run }, note: { scope: 'both', run } },
    publications: {
      sheet: { format: 'txt', template: 'x' },
      list: { format: 'txt', scope: 'global', template: 'x' },
    },
    hooks,
  })
  const model = createModel([Ticket])
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const user = (login: string, ...grants: GrantData[]) =>
    createPrincipal({ login, rights: createRights(model, grants, { LOGIN: login }) })
  return { service, user }
}

const boss = systemPrincipal({ login: 'boss', groups: ['BOSS'] })
const names = (parts: readonly { readonly name: string }[]): string[] => parts.map(({ name }) => name)

describe('metadata()', () => {
  it('has the rules that hold for the values of a field', async () => {
    const model = createModel([
      {
        name: 'Rules',
        fields: {
          whole: { type: 'integer', min: 1, max: 9, unique: true },
          text: { type: 'string', pattern: '[a-z]+' },
          secret: { type: 'password', minLength: 12 },
          moment: { type: 'datetime' },
          local: { type: 'datetime', zone: 'none' },
          file: { type: 'document' },
          picture: { type: 'image', maxBytes: 1000, mediaTypes: ['image/png'] },
        },
      },
    ])
    const service = createBusinessObjects({ model, store: createMemoryStore(), documents: {} as DocumentStore })
    const { fields } = await service.metadata(boss, 'Rules')
    const none = { unique: false, min: null, max: null, minLength: 0, pattern: null, zone: null, maxBytes: null }
    const told = (name: string) => {
      const { unique, min, max, minLength, pattern, zone, maxBytes, mediaTypes } =
        fields.find((field) => field.name === name) ?? ({} as Record<string, unknown>)
      return { unique, min, max, minLength, pattern, zone, maxBytes, mediaTypes }
    }
    expect(told('whole')).toEqual({ ...none, unique: true, min: 1, max: 9, mediaTypes: null })
    expect(told('text')).toEqual({ ...none, pattern: '[a-z]+', mediaTypes: null })
    expect(told('secret')).toEqual({ ...none, minLength: 12, mediaTypes: null })
    expect(told('moment')).toEqual({ ...none, zone: 'UTC', mediaTypes: null })
    expect(told('local')).toEqual({ ...none, zone: 'none', mediaTypes: null })
    expect(told('file')).toEqual({ ...none, maxBytes: 104_857_600, mediaTypes: null })
    expect(told('picture')).toEqual({ ...none, maxBytes: 1000, mediaTypes: ['image/png'] })
  })

  it('of an object has the states, the transitions that the user may use, and all actions', async () => {
    const { service, user } = setUp()
    const all = await service.metadata(boss, 'Ticket')
    expect(all.states).toEqual({
      field: 'state',
      initial: 'new',
      state: null,
      transitions: [
        { from: ['new'], to: 'open' },
        { from: ['new', 'open'], to: 'closed' },
        { from: ['closed'], to: 'open' },
      ],
    })
    expect(names(all.actions)).toEqual(['remind', 'tidy', 'note'])
    const clerk = await service.metadata(user('clerk', { object: 'Ticket', letters: 'RU' }), 'Ticket')
    expect(clerk.states?.transitions).toEqual([
      { from: ['new'], to: 'open' },
      { from: ['closed'], to: 'open' },
    ])
    const reader = await service.metadata(user('reader', { object: 'Ticket', letters: 'R' }), 'Ticket')
    expect([reader.states?.transitions, reader.actions]).toEqual([[], []])
    const blind = user('blind', { object: 'Ticket', letters: 'RU', hidden: ['state'] })
    expect((await service.metadata(blind, 'Ticket')).states).toBeNull()
  })

  it('of a record has its state, the transitions from there, and what can be run on it', async () => {
    const { service, user } = setUp()
    const { row_id: rowId } = await service.create(boss, 'Ticket', { no: '1', owner: 'ann' })
    const first = await service.metadata(boss, 'Ticket', { rowId })
    expect(first.states).toMatchObject({
      state: 'new',
      transitions: [
        { from: ['new'], to: 'open' },
        { from: ['new', 'open'], to: 'closed' },
      ],
    })
    expect([names(first.actions), names(first.publications)]).toEqual([['remind', 'note'], ['sheet']])
    const rows = { object: 'Ticket', letters: 'RUDA', filter: 'owner = [LOGIN]' } as const
    const readAll = { object: 'Ticket', letters: 'R' } as const
    const ann = await service.metadata(user('ann', readAll, rows), 'Ticket', { rowId })
    expect(ann).toMatchObject({ update: true, del: true, states: { transitions: [{ to: 'open' }] } })
    await expect(service.metadata(user('bob', rows), 'Ticket', { rowId })).rejects.toMatchObject({ status: 404 })
    await expect(service.metadata(boss, 'Ticket', { rowId: '99' })).rejects.toMatchObject({ status: 404 })
    await service.update(boss, 'Ticket', rowId, { state: 'open' })
    const { states } = await service.metadata(user('clerk', { object: 'Ticket', letters: 'RU' }), 'Ticket', { rowId })
    expect(states).toMatchObject({ state: 'open', transitions: [] })
  })

  it('asks the guards of hooks', async () => {
    const { service } = setUp({
      isUpdateEnable: ({ record }) => record['owner'] !== 'ann',
      isDeleteEnable: () => {
        throw new RestError('ERR_RIGHT', 'Nobody deletes tickets.')
      },
      isActionEnable: ({ action, record }) => action === 'note' && record?.['no'] === '1',
    })
    const { row_id: rowId } = await service.create(boss, 'Ticket', { no: '1', owner: 'ann' })
    const { row_id: other } = await service.create(boss, 'Ticket', { no: '2' })
    const own = await service.metadata(boss, 'Ticket', { rowId })
    expect(own).toMatchObject({ create: true, update: false, del: false, states: { transitions: [] } })
    expect(names(own.actions)).toEqual(['note'])
    const second = await service.metadata(boss, 'Ticket', { rowId: other })
    expect([second.update, names(second.actions)]).toEqual([true, []])
    // A guard about a record says nothing about all records.
    expect(names((await service.metadata(boss, 'Ticket')).actions)).toEqual(['remind', 'note'])
  })
})
