import { describe, expect, test } from 'vitest'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

/** Generous: for what comes by itself on a machine that is busy. */
const soon = { timeout: 60_000, interval: 10 }

export function testNotices(factory: StoreFactory): void {
  describe('notices', () => {
    const used = useStore(factory)

    test('listen() hears of each committed transaction that notified its channel, and of no other', async ({
      skip,
    }) => {
      const { store } = used
      if (!store.listen) return skip(`${store.capabilities.name} has no notices`)
      const other = (await used.reopen()) ?? store
      const channel = unique('A "channel" ')
      const heard = { one: 0, two: 0, elsewhere: 0 }
      const stopOne = other.listen!(channel, () => heard.one++)
      store.listen(channel, () => heard.two++)
      store.listen(`${channel} 2`, () => heard.elsewhere++)
      // Each is called when it has started to listen.
      await expect.poll(() => heard, soon).toEqual({ one: 1, two: 1, elsewhere: 1 })
      const undone = store.transaction(async (session) => {
        await session.notify!(channel)
        throw new Error('undo')
      })
      await expect(undone).rejects.toThrow('undo')
      await store.transaction((session) => session.notify!(channel))
      // Notices come in the order of the commits.
      await expect.poll(() => heard, soon).toEqual({ one: 2, two: 2, elsewhere: 1 })
      await stopOne()
      await other.transaction((session) => session.notify!(channel))
      await expect.poll(() => heard, soon).toEqual({ one: 2, two: 3, elsewhere: 1 })
    })

    test('a store without listen() has sessions without notify()', async () => {
      const { store } = used
      const hasNotify = await store.transaction(async (session) => session.notify !== undefined)
      expect(hasNotify).toBe(store.listen !== undefined)
    })
  })
}
