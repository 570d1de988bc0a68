import { expect, it } from 'vitest'
import type { WireBackup } from '@steward/manager-core'
import type { Instance } from '../../lib/instance.js'
import { defaultsOf, inputsOf, type Origin, type Source } from './create-input.js'

const ofAll = {
  ...{ databases: ['sqlite', 'mysql'], database: 'sqlite', runtime: 'process' },
  ...{ protected: true, auto_save: false, auto_update: true },
}
const source: Source = {
  name: 'crm',
  instance: { name: 'crm', database: 'mysql', runtime: 'container' } as Instance,
  backup: { name: 'shop', backup: '20261121T030000Z', database: 'postgresql' } as WireBackup,
}

it('inputsOf() calls each action by its own names, without what is as usual', () => {
  const asked = (origin: Origin, database: string) =>
    inputsOf(origin, {
      values: { name: 'otter42', version: '1.0', database, protected: 'no', runtime: 'systemd', phone: '1' },
      source,
      takes: (option) => option === 'runtime' || (option === 'protected' && origin !== 'restore'),
      defaults: defaultsOf(origin, source, ofAll),
    })
  const rest = { protected: 'no', runtime: 'systemd' }
  expect(asked('add', 'sqlite')).toEqual({ ...rest, name: 'otter42', from: '1.0' })
  expect(asked('add', 'mysql')).toEqual({ ...rest, name: 'otter42', from: '1.0', database: 'mysql' })
  expect(asked('clone', 'mysql')).toEqual({ ...rest, name: 'crm', new: 'otter42' })
  expect(asked('restore', 'postgresql')).toEqual({
    ...{ runtime: 'systemd', name: 'shop', from: '20261121T030000Z', as: 'otter42' },
  })
  expect(asked('restore', 'sqlite')).toMatchObject({ database: 'sqlite' })
})
