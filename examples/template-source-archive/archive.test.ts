import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { testTemplateSource } from '@steward/manager-core/testing'
import { packTar } from 'modern-tar'
import { expect, it } from 'vitest'
import { templateSource } from './src/index.js'

const prefix = '@steward/example-template-source-archive:'

async function serve(
  answer: (authorization: string | undefined) => { status?: number; body?: Uint8Array; modified?: Date },
) {
  const server: Server = createServer(({ headers }, response) => {
    const { status = 200, body = new Uint8Array(), modified } = answer(headers.authorization)
    response.writeHead(status, modified && { 'Last-Modified': modified.toUTCString() }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `${prefix}http://127.0.0.1:${port}/shop.tar.gz`, port, server }
}

testTemplateSource('archive', async () => {
  let body: Uint8Array | undefined
  let modified = new Date('2030-01-01T00:00:00Z')
  const { url, server } = await serve(() => (body ? { body, modified } : { status: 404 }))
  const folder = mkdtempSync(join(tmpdir(), 'steward-archive-'))
  const workFolder = join(folder, 'work')
  mkdirSync(workFolder)
  return {
    source: templateSource.open({ base: folder, workFolder }),
    async publish(files) {
      const entries = Object.entries(files).map(([name, text]) => ({
        header: { name, size: Buffer.byteLength(text), mode: 0o644, mtime: modified },
        body: text,
      }))
      body = gzipSync(await packTar(entries))
      modified = new Date(modified.getTime() + 60_000)
      return url
    },
    missing: `${prefix}http://127.0.0.1:1/nothing.tar.gz`,
    workFolder,
    async close() {
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true })
    },
  }
})

it('reports what the address answers, and what is not an archive, without a password', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-archive-'))
  const source = templateSource.open({ base: folder, workFolder: folder })
  const { port, server } = await serve(() => ({ status: 403 }))
  await expect(source.latest(`${prefix}http://127.0.0.1:${port}/x`)).rejects.toThrow('it answers 403')
  server.close()
  const text = await serve(() => ({ body: Buffer.from('no archive') }))
  const revision = await source.latest(text.url)
  await expect(source.fetch(text.url, revision, join(folder, 'to'))).rejects.toThrow('The archive cannot be unpacked')
  text.server.close()
  const away = await source.latest(`${prefix}http://me:secret@127.0.0.1:1/x`).catch((error: Error) => error.message)
  expect(away).toContain('cannot be')
  expect(away).not.toContain('secret')
  let sent: string | undefined
  const guarded = await serve((authorization) => ((sent = authorization), { body: Buffer.from('x') }))
  await source.latest(guarded.url.replace('//', '//me:s%40cret@'))
  expect(sent).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`)
  guarded.server.close()
  rmSync(folder, { recursive: true })
})
