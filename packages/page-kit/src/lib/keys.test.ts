import { expect, it, vi } from 'vitest'
import { moveRow } from './keys.js'

it('moveRow() of a key that is none of its own leaves it to others, also where there are rows', () => {
  const row = { querySelector: () => ({ focus() {} }), contains: () => false }
  vi.stubGlobal('document', { activeElement: null, querySelectorAll: () => [row] })
  expect(['j', 'k', 'Tab', 'ArrowDown', 'a'].filter(moveRow)).toEqual(['j', 'k'])
  vi.unstubAllGlobals()
})
