import { expect, it } from 'vitest'
import { testInstance } from '../testing/made-up-operation.js'
import { knownBackups, lastGood } from './known-backups.js'

it('lastGood() goes by the key of a backup whose manifest says a time that is none, and by none without one', async () => {
  const backup = (key: string, started: string) => ({
    ...{ key, copies: {}, damage: undefined },
    manifest: { instance: { id: 'idemo' }, started },
  })
  const list = [
    backup('demo/20261120T030000Z-1.0-abcdefgh', 'never'),
    backup('demo/20261119T030000Z-1.0-abcdefgh', '2026-11-19T03:00:00.000Z'),
    backup('demo/other', ''),
  ]
  const context = {
    backups: { list: async () => list, damaged: async () => [] },
    settings: { global: { saveFolder: '/none', saveAllFolder: '/none' } },
  } as unknown as Parameters<typeof knownBackups>[0]
  const known = await knownBackups(context, [testInstance({ id: 'idemo', name: 'demo' })])
  const last = lastGood(known.get('idemo') ?? [], new Date('2026-11-21T08:00:00Z'))
  expect(last && new Date(last.made).toISOString()).toBe('2026-11-20T03:00:00.000Z')
  expect(lastGood([{ key: 'demo/other', made: Number.NaN, isGood: true, copies: {} }], new Date())).toBeUndefined()
})
