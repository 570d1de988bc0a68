import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startHttpd } from './httpd.js'
import { startNginx } from './nginx.js'
import { accepts } from './ports.js'
import { toolIsMissing } from './tools.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-proxy-'))
afterAll(() => rmSync(folder, { recursive: true }))

for (const [name, tool, start] of [
  ['nginx', 'nginx', startNginx],
  ['httpd', 'apache2', startHttpd],
] as const)
  it(`a private ${name} includes what is in a folder, and leaves no process`, async ({ skip }) => {
    const missing = toolIsMissing(tool)
    if (missing !== undefined) skip(missing)
    const include = join(folder, name)
    const proxy = await start({ include })
    try {
      mkdirSync(include)
      writeFileSync(
        join(include, 'a.conf'),
        name === 'nginx'
          ? `server { listen 127.0.0.1:${proxy.http}; return 204; }`
          : 'RewriteEngine On\nRewriteRule ^ - [R=204]',
      )
      await proxy.stop()
      expect(await accepts(proxy.http)).toBe(false)
      await proxy.start()
      await expect.poll(() => fetch(`http://127.0.0.1:${proxy.http}/`).then((answer) => answer.status)).toBe(204)
    } finally {
      await proxy.close()
    }
    expect(proxy.pid).toBe(undefined)
    expect(await accepts(proxy.http)).toBe(false)
  })
