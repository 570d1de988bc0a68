import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { vi } from 'vitest'

/** A package as `npm pack` makes it. */
export async function packPackage(
  json: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const all = { 'package.json': JSON.stringify(json), ...files }
  const entries = Object.entries(all).map(([path, body]) => ({
    header: { name: `package/${path}`, size: Buffer.byteLength(body), mode: 0o644 },
    body,
  }))
  return gzipSync(await packTar(entries))
}

/** A registry of npm packages with nothing in it but what a test publishes. */
export async function startNpmRegistry() {
  const packages = new Map<string, { versions: Record<string, object>; time: Record<string, string>; newest: string }>()
  const archives = new Map<string, Buffer>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://registry').pathname).slice(1)
    asked.push(path)
    const archive = archives.get(path)
    if (archive) return void response.end(archive)
    const found = packages.get(path)
    if (!found) return void response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not found"}')
    const { versions, time, newest } = found
    const body = { name: path, 'dist-tags': { latest: newest }, versions, time }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  let published = 0

  return {
    url,
    async publish(json: { name: string; version: string; [key: string]: unknown }, files?: Record<string, string>) {
      const { name, version } = json
      const archive = await packPackage(json, files)
      const place = `${name}/-/${version}.tgz`
      archives.set(place, archive)
      const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
      const before = packages.get(name) ?? { versions: {}, time: {}, newest: version }
      packages.set(name, {
        versions: { ...before.versions, [version]: { ...json, dist: { tarball: url + place, integrity } } },
        time: { ...before.time, [version]: new Date(Date.UTC(2029, 0, 1 + published++)).toISOString() },
        newest: version,
      })
    },
    /** Hash of what was published, as `sha512-…`. */
    integrity: (name: string, version: string) =>
      `sha512-${createHash('sha512')
        .update(archives.get(`${name}/-/${version}.tgz`) ?? '')
        .digest('base64')}`,
    /** Paths of all requests so far. */
    asked: (): readonly string[] => asked,
    /** Gives other bytes for an archive than were published. */
    async tamper(name: string, version: string) {
      archives.set(`${name}/-/${version}.tgz`, await packPackage({ name, version, evil: true }))
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Until `vi.unstubAllEnvs()`, npm asks this registry only, and keeps what it needs in a folder. */
export function useRegistry({ url }: { readonly url: string }, folder: string): void {
  vi.stubEnv('npm_config_registry', url)
  vi.stubEnv('npm_config_cache', join(folder, 'cache'))
  vi.stubEnv('npm_config_userconfig', join(folder, 'npmrc'))
  vi.stubEnv('npm_config_fetch_retries', '0')
}
