import { expect, it, vi } from 'vitest'
import { TargetError } from './target-error.js'

it('is() knows errors of another copy of the package, and no look-alike', async () => {
  vi.resetModules()
  const copy = await import('./target-error.js')
  const error = new copy.TargetError('ERR_TARGET_FULL', 'No room.')
  expect(error).not.toBeInstanceOf(TargetError)
  expect(TargetError.is(error)).toBe(true)
  const lookAlike = Object.assign(new Error('No room.'), { name: 'TargetError', transient: false })
  expect(TargetError.is(lookAlike)).toBe(false)
})
