import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadAppDefinition } from './app-definition.js'
import { readSettings } from './settings.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-definition-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('trusted proxies of the environment hold when app.yaml says none; a wrong one is reported', async () => {
  const load = (trusted: string) => loadAppDefinition(folder, readSettings({ STEWARD_TRUSTED_PROXIES: trusted }))
  writeFileSync(join(folder, 'app.yaml'), 'name: shop\nversion: 1.0.0\n')
  expect((await load('loopback')).trustedProxies).toEqual(['loopback'])
  expect((await load('')).trustedProxies).toBe(undefined)
  await expect(load('nowhere')).rejects.toThrow('STEWARD_TRUSTED_PROXIES: "nowhere" is not an address or a range')
  writeFileSync(join(folder, 'app.yaml'), 'name: shop\nversion: 1.0.0\ntrustedProxies: [10.0.0.0/8]\n')
  expect((await load('loopback')).trustedProxies).toEqual(['10.0.0.0/8'])
})

test('a level needs no quotes, also in environments', async () => {
  const load = (text: string, environment?: string) => {
    writeFileSync(join(folder, 'app.yaml'), `name: shop\nversion: 1.0.0\n${text}\n`)
    return loadAppDefinition(folder, { ...readSettings({}), environment })
  }
  for (const [text, level] of [
    ['5.1', '5.1'],
    ['3.0', '3.0'],
    ['3', '3.0'],
    ['"4.0"', '4.0'],
  ] as const)
    expect((await load(`level: ${text}`)).level, text).toBe(level)
  const environments = 'level: 5.1\nenvironments: { old: { level: 3.1 } }'
  expect([(await load(environments)).level, (await load(environments, 'old')).level]).toEqual(['5.1', '3.1'])
  expect((await load('title: None')).level).toBe(undefined)
  await expect(load('level: 6')).rejects.toThrow(
    /app\.yaml:3:8 level must be one of 3\.0, 3\.1, 3\.2, 4\.0, 5\.0, 5\.1, not 6$/,
  )
})
