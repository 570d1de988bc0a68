import { createBusinessObjects, createModel, systemPrincipal } from '@steward/rest-core'
import { createVersionWatch, prepareVersion, systemObjects } from '@steward/rest-core/system'
import { expect, it } from 'vitest'
import { onEachServer } from '../../../../test/server-stores.js'
import { createPostgresqlStore } from '../../../postgresql.js'

const soon = { timeout: 60_000, interval: 20 }

onEachServer(
  (database) => {
    it('listen() listens again after its connection was lost', async () => {
      const store = database.store()
      let notices = 0
      store.listen!('channel', () => notices++)
      await expect.poll(() => notices, soon).toBe(1)
      await database.admin.endConnections()
      // As after each start: some may have been missed.
      await expect.poll(() => notices, soon).toBe(2)
      await store.transaction((session) => session.notify!('channel'))
      await expect.poll(() => notices, soon).toBe(3)
    })

    it('a change of rights reaches a process that never reads the version by itself', async () => {
      const model = createModel(systemObjects)
      const [store, elsewhere] = [database.store(), database.store()]
      await store.sync(model)
      await prepareVersion(model, store)
      let drops = 0
      const watch = createVersionWatch({ model, store: elsewhere, onChange: () => drops++, everyMs: 2 ** 40 })
      const looked = async () => {
        await watch.look()
        return drops
      }
      expect(await looked()).toBe(1)
      // Listening starts meanwhile, which is a notice, too.
      await expect.poll(() => watch.look() instanceof Promise, soon).toBe(true)
      await watch.look()
      expect(await looked()).toBe(1)
      const service = createBusinessObjects({ model, store })
      await service.create(systemPrincipal(), 'Group', { grp_name: 'G' })
      await expect.poll(looked, soon).toBe(2)
      await watch.close()
    })

    it('listen() is absent where a session is not the own one', async () => {
      const pooled = createPostgresqlStore({ connection: database.url, preparedStatements: false })
      expect(pooled.listen).toBeUndefined()
      await pooled.close()
    })
  },
  ['postgresql'],
)
