import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ManagerContext } from '../context.js'
import { createPlugins } from '../system/plugins.js'
import { pluginServer } from './quality-of.js'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-home-'))
})
afterEach(() => rmSync(home, { recursive: true }))

function open(code: string) {
  const folder = join(home, 'node_modules/own-quality')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "own-quality", "version": "1.0.0", "exports": "./index.mjs" }')
  writeFileSync(join(folder, 'index.mjs'), `export const qualityServer = { open: (options) => ${code} }`)
  const quality = { server: 'own-quality', url: 'https://quality.example.org', timeoutMs: 5000 }
  const settings = { global: { baseUrl: 'https://apps.example.org', quality } }
  const context = { settings, plugins: createPlugins(home) } as unknown as ManagerContext
  return pluginServer(context, { name: 'demo' }, { quality: { url: 'https://own.example.org' } })
}

it('pluginServer() opens the package of APPS_QUALITY_SERVER with the settings of the instance, else of the manager', () => {
  expect(open('({ name: JSON.stringify(options) })')?.name).toBe(
    '{"url":"https://own.example.org","timeoutMs":5000,"project":"apps.example.org-demo"}',
  )
})

it('pluginServer() names the package whose open() throws, with its reason', () => {
  expect(() => open(`{ throw new Error('APPS_QUALITY_LOGIN is missing.') }`)).toThrow(
    expect.objectContaining({
      code: 'ERR_SETTINGS',
      message: 'The quality server "own-quality" cannot be used: APPS_QUALITY_LOGIN is missing.',
    }) as Error,
  )
})
