import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { homeAt } from '../home.js'
import { createTestHome } from '../testing/test-home.js'
import { createSettings } from './create-settings.js'

it('gives the defaults of everything that is not set', () => {
  const folder = createTestHome()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { global } = createSettings({ home: homeAt(folder), environment: {} })
  expect(global.baseUrl).toBe('http://localhost:8000')
  expect(global.saveAllFolder).toBe(join(folder, 'save'))
  expect(global.databases).toEqual(['sqlite', 'mysql', 'postgresql'])
})
