import type { WireAction } from '@steward/manager-core'
import { expect, it } from 'vitest'
import { commandsOf, neededFields, type CommandsOf } from './palette-commands.js'

const action = (name: string, more: Partial<WireAction> = {}) =>
  ({
    name,
    mutating: true,
    parameters: [{ name: 'name', type: 'instance', required: true }],
    options: [],
    ...more,
  }) as unknown as WireAction

const actions = [action('restart'), action('logs', { mutating: false }), action('saveall', { parameters: [] })]
const base: CommandsOf = {
  words: '',
  actions,
  titleOf: ({ name }) => (name === 'logs' ? 'Show the log' : name),
  pages: [{ id: 'page monitor', label: 'Monitor', about: 'Page', to: { page: ['monitor'] } }],
  instances: [
    { name: 'crm', about: 'Example Ltd' },
    { name: 'wiki', about: '' },
  ],
  current: undefined,
  chosen: [],
  recent: [],
  texts: { instance: 'Instance', selected: '2 selected' },
}
const labels = (more: Partial<CommandsOf>) => commandsOf({ ...base, ...more }).map(({ label }) => label)

it('commandsOf() has pages, instances and actions of all without words, and of the shown and selected instances', () => {
  expect(labels({})).toEqual(['Monitor', 'crm', 'wiki', 'saveall'])
  expect(labels({ current: 'crm' }).slice(0, 2)).toEqual(['restart crm', 'Show the log crm'])
  const [first] = commandsOf({ ...base, chosen: ['crm', 'wiki'] })
  expect(first).toMatchObject({ label: 'restart', about: '2 selected', to: { instances: ['crm', 'wiki'] } })
})

it('commandsOf() finds an action on an instance by parts of both, and an instance by its owner', () => {
  expect(labels({ words: 'rest cr' })).toEqual(['restart crm'])
  expect(labels({ words: 'logs cr' })).toEqual(['Show the log crm'])
  expect(labels({ words: 'example' })).toEqual(['crm'])
  expect(labels({ words: 'nothing' })).toEqual([])
})

it('commandsOf() puts first what was chosen lately, after what the words say exactly', () => {
  expect(labels({ recent: ['action saveall', 'instance wiki'] }).slice(0, 2)).toEqual(['saveall', 'wiki'])
  expect(labels({ words: 'wiki', recent: ['page monitor'] })[0]).toBe('wiki')
})

it('neededFields() are those without which an action cannot run', () => {
  expect(neededFields(action('rename', { options: [{ name: 'new', required: true }] } as never))).toEqual([
    'name',
    'new',
  ])
})
