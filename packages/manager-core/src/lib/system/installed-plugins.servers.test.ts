import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { targetTypeOf } from '@steward/backup-targets'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPacked } from '../../../../../tests/programs/install-packed.js'
import { createPlugins, type PluginExport } from './plugins.js'

const kinds: Readonly<Record<PluginExport, string>> = {
  runtime: 'runtime-small',
  templateSource: 'template-source-archive',
  databaseServer: 'database-server-limits',
  reverseProxy: 'reverse-proxy-limits',
  qualityServer: 'quality-server-markers/plugin',
}

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-home-'))
  installPacked(home, [...Object.values(kinds), 'backup-target-webdav'])
}, 60_000)
afterAll(() => rmSync(home, { recursive: true }))

const nameOf = (example: string) => `@steward/example-${example.replace('/plugin', '')}`

it.each(Object.entries(kinds) as [PluginExport, string][])(
  'a packed package with a %s is loaded from an empty home',
  (kind, example) => {
    expect(createPlugins(home).load(kind, nameOf(example), 'APPS_X')).toBeTypeOf('object')
  },
)

it('a packed package with a target is loaded from an empty home', async () => {
  const type = await targetTypeOf(nameOf('backup-target-webdav'), [home])
  // Its errors are those of the manager: the package has no copy of `@steward/backup-targets`.
  await expect(async () =>
    type.open({ url: 'ftp://nowhere', prefix: '' }, { idleMs: 1000, environment: {} }),
  ).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
})
