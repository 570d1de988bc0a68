import { expect, test } from 'vitest'
import { RestError } from '../../errors.js'
import type { ObjectHooks } from './hooks.js'
import { Movie, boss, collect, createService } from './fixture-for-test.js'

const alien = { mov_code: 'ALIEN', mov_title: 'Alien' }
const names = [
  'initCreate',
  'initUpdate',
  'preValidate',
  'postValidate',
  'preSave',
  'preCreate',
  'preUpdate',
  'postCreate',
  'postUpdate',
  'postSave',
  'initDelete',
  'preDelete',
  'postDelete',
  'preSelect',
  'postSelect',
  'preSearch',
  'postSearchRow',
  'postSearch',
  'preCount',
] as const

function recordingHooks(calls: string[]): ObjectHooks {
  return Object.fromEntries(names.map((name) => [name, () => void calls.push(name)]))
}

test('hooks run in the documented order', async () => {
  const calls: string[] = []
  const { service } = createService({ Movie: recordingHooks(calls) })
  const take = () => calls.splice(0).join(' ')
  const { row_id: id } = await service.create(boss, Movie, alien)
  expect(take()).toBe('initCreate preValidate postValidate preSave preCreate postCreate postSave')
  await service.update(boss, Movie, id, { mov_year: 1979 })
  expect(take()).toBe('initUpdate preValidate postValidate preSave preUpdate postUpdate postSave')
  await service.get(boss, Movie, id)
  expect(take()).toBe('preSelect postSelect')
  await collect(await service.search(boss, 'Movie'))
  expect(take()).toBe('preSearch postSearchRow postSearch')
  await service.count(boss, Movie)
  expect(take()).toBe('preCount')
  await service.delete(boss, Movie, id)
  expect(take()).toBe('initDelete preDelete postDelete')
})

test.each(['initCreate', 'preValidate', 'postValidate', 'preSave', 'preCreate', 'postCreate', 'postSave'] as const)(
  '%s stops a create and undoes what hooks wrote',
  async (name) => {
    const { service } = createService({
      Movie: {
        async [name]({ service: inside }: { service: typeof service }) {
          await inside.create(boss, 'Genre', { gen_code: 'X', gen_name: 'X' })
          throw new RestError('ERR_VALIDATION', 'Not today.')
        },
      },
    })
    await expect(service.create(boss, Movie, alien)).rejects.toThrow('Not today.')
    expect((await service.count(boss, Movie)).count).toBe(0)
    expect((await service.count(boss, 'Genre')).count).toBe(0)
  },
)

test('hooks change values before the write and the answer after it', async () => {
  const { service } = createService({
    Movie: {
      preSave: ({ values }) => void (values['mov_rank'] = 7),
      postSave: ({ record }) => void (record && (record['mov_title'] = 'shown')),
      postSelect: ({ record }) => void (record['mov_owner'] = 'nobody'),
    },
  })
  const movie = await service.create(boss, Movie, alien)
  expect(movie).toMatchObject({ mov_rank: 7, mov_title: 'shown' })
  expect(await service.get(boss, Movie, movie.row_id)).toMatchObject({
    mov_rank: 7,
    mov_title: 'Alien',
    mov_owner: 'nobody',
  })
})

test('old() gives the whole record before an update, hidden fields too, no passwords', async () => {
  const seen: unknown[] = []
  const { service } = createService({ Movie: { preUpdate: async ({ old }) => void seen.push(await old()) } })
  const { row_id: id } = await service.create(boss, Movie, { ...alien, mov_secret: 'hush', mov_pin: '1' })
  await service.update(boss, Movie, id, { mov_title: 'New' })
  expect(seen).toEqual([expect.objectContaining({ mov_title: 'Alien', mov_secret: 'hush', created_by: 'boss' })])
  expect(seen[0]).not.toHaveProperty('mov_pin')
})

test('guards refuse with 403', async () => {
  const { service } = createService({
    Movie: {
      isCreateEnable: ({ principal }) => principal.login === 'boss',
      isUpdateEnable: ({ record }) => record['mov_state'] === 'draft',
      isDeleteEnable: () => false,
    },
  })
  const { row_id: id } = await service.create(boss, Movie, alien)
  await expect(service.create({ ...boss, login: 'x' }, Movie, { ...alien, mov_code: 'B' })).rejects.toMatchObject({
    code: 'ERR_RIGHT',
  })
  await service.update(boss, Movie, id, { mov_state: 'public' })
  await expect(service.update(boss, Movie, id, { mov_title: 'x' })).rejects.toMatchObject({ code: 'ERR_RIGHT' })
  await expect(service.delete(boss, Movie, id)).rejects.toMatchObject({ code: 'ERR_RIGHT', status: 403 })
})

test('preSearch narrows a search; rights hold whatever it does', async () => {
  const { service, user } = createService({ Movie: { preSearch: (search) => void (search.where = undefined) } })
  await service.create(boss, Movie, alien)
  const stranger = user('stranger', [{ object: 'Movie', letters: 'R', filter: 'mov_owner = [LOGIN]' }])
  expect(await collect(await service.search(stranger, 'Movie'))).toEqual([])
  expect(await collect(await service.search(boss, 'Movie', { filters: { mov_code: 'nothing' } }))).toHaveLength(1)
})

test('a precondition is asked about the record as a get answers it', async () => {
  const { service } = createService({ Movie: { postSelect: ({ record }) => void (record['mov_owner'] = 'shown') } })
  const { row_id: id } = await service.create(boss, Movie, alien)
  const shown = await service.get(boss, Movie, id)
  const precondition = (record?: object) => JSON.stringify(record) === JSON.stringify(shown)
  expect(await service.update(boss, Movie, id, { mov_year: 1979 }, { precondition })).toMatchObject({ mov_year: 1979 })
  await expect(service.delete(boss, Movie, id, { precondition })).rejects.toMatchObject({ code: 'ERR_PRECONDITION' })
})
