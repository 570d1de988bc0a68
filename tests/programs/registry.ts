import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Packument {
  readonly name: string
  readonly versions: Record<string, { dist: { tarball: string } }>
  readonly 'dist-tags': Record<string, string>
  readonly _attachments: Record<string, { readonly data: string }>
}

export interface Registry {
  /** With a slash at its end. */
  readonly url: string
  /** Packages that were published. */
  readonly packages: ReadonlyMap<string, Packument>
  close(): Promise<void>
}

/** A registry of npm packages in memory, as far as `npm publish`, `npm view` and `npm install` of them go. */
export async function startRegistry(): Promise<Registry> {
  const packages = new Map<string, Packument>()
  const files = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1))
    if (request.method === 'PUT') {
      const { _attachments: attachments, ...published } = (await json(request)) as Packument
      for (const [file, { data }] of Object.entries(attachments)) files.set(file, Buffer.from(data, 'base64'))
      for (const [version, { dist }] of Object.entries(published.versions))
        dist.tarball = `${url}-/${published.name}-${version}.tgz`
      packages.set(path, { ...published, _attachments: {} })
      response.writeHead(201).end('{}')
    } else if (path.startsWith('-/') && files.has(path.slice(2))) {
      response.end(files.get(path.slice(2)))
    } else if (packages.has(path)) {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(packages.get(path)))
    } else {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not found"}')
    }
  })
  await new Promise<void>((started) => server.listen(0, '127.0.0.1', started))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    packages,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
