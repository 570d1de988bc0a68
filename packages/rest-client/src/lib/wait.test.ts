import { expect, it } from 'vitest'
import { wait } from './wait.js'

it('wait() with a signal that is aborted already rejects with its reason, without waiting', async () => {
  const aDayMs = 86_400_000
  await expect(wait(aDayMs, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
})
