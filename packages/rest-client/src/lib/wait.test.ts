import { setImmediate as soon } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { wait } from './wait.js'

it('wait() with a signal that is aborted already rejects with its reason, without waiting', async () => {
  const aDayMs = 86_400_000
  const enough = new Error('enough')
  const waiting = wait(aDayMs, AbortSignal.abort(enough))
  await expect(Promise.race([waiting, soon('it waits')])).rejects.toBe(enough)
})
