import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { TestManager } from '../testing/create-test-manager.js'

/** A posted alert. */
export interface Posted {
  readonly text: string
  readonly event: 'opened' | 'closed'
  readonly incident: {
    readonly message: string
    readonly closed: string
    readonly instances: readonly { readonly name: string; readonly reason: string }[]
  }
}

/** Takes webhooks. `answers`: statuses of the first calls, 204 afterwards. */
export async function webhookServer(answers: number[] = []) {
  const posted: Posted[] = []
  const calls: { readonly path: string; readonly authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const status = answers.shift() ?? 204
      calls.push({ path: request.url ?? '', authorization: request.headers.authorization })
      if (status === 204) posted.push(JSON.parse(body) as Posted)
      response.writeHead(status).end()
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  onTestFinished(() => server.close().closeAllConnections())
  return { posted, calls, address: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Makes `monitoring.sh`, which writes its arguments down. */
export function hookLog(test: TestManager, more = '') {
  const log = join(test.folder, 'monitoring.log')
  const file = join(test.context.home.hooks, 'monitoring.sh')
  mkdirSync(test.context.home.hooks, { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho "$@" >> '${log}'\n${more}\n`)
  chmodSync(file, 0o755)
  return () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [])
}
