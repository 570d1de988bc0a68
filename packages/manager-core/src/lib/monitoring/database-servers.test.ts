import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { homeAt } from '../domain/home.js'
import type { Fallen } from '../domain/incident.js'
import type { InstanceSettings, Settings } from '../settings/settings.js'
import { deadServers } from './database-servers.js'
import { describeIncident } from './describe-incident.js'

it('names the database server that instances have in common when it does not answer', async () => {
  const alive = createServer().listen(0, '127.0.0.1')
  await once(alive, 'listening')
  const { port } = alive.address() as AddressInfo
  const of: Readonly<Record<string, Partial<InstanceSettings>>> = {
    a: { database: 'postgresql', databaseHost: '127.0.0.1', databasePort: 2 },
    b: { database: 'postgresql', databaseHost: '127.0.0.1', databasePort: 2 },
    c: { database: 'mysql', databaseHost: '127.0.0.1', databasePort: port },
    d: { database: 'sqlite' },
  }
  const instance = async (folder: string) => {
    const found = of[folder.slice(-1)]
    if (!found) throw new Error('Its settings cannot be read.')
    return found as InstanceSettings
  }
  const context = { home: homeAt('/home'), settings: { instance } as Settings }
  const dead = await deadServers(context, ['a', 'b', 'c', 'd', 'e'])
  alive.close()
  expect(dead).toEqual([{ name: 'postgresql at 127.0.0.1:2', instances: ['a', 'b'] }])

  const fallen = (...ids: readonly string[]) =>
    ids.map((id): Fallen => ({ id, name: `demo${id}`, reason: 'status-KO', opened: '', closed: '' }))
  expect(describeIncident(fallen('a', 'b'), dead)).toBe(
    '2 instances have problems (demoa, demob): the database server postgresql at 127.0.0.1:2 does not answer',
  )
  expect(describeIncident(fallen('a', 'b', 'c'), dead)).toContain('of 2 of them does not answer')
  expect(describeIncident(fallen('c'), [])).toBe('"democ" is unhealthy (status-KO)')
})
