import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestsOf } from './fuzz/openapi-requests.js'
import { startApp } from './programs/app-server.js'
import type { RunningApp } from './programs/app-server.js'

const deep = process.env['TEST_DEEP'] === '1'
const seed = fc.readConfigureGlobal().seed ?? 0
const catalogue = fileURLToPath(new URL('../examples/catalog', import.meta.url))
const password = 'a password of tests'

/** Who changes these changes who sends the requests. */
const ofUsers = /^\/(User|Group|Responsibility|Grant|_events|login|logout)\b/

describe.runIf(deep)('requests generated from the OpenAPI document of the catalogue, to its server', () => {
  let folder: string
  let app: RunningApp

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-catalogue-'))
    app = await startApp([catalogue, '--data', folder], { password })
  })

  afterAll(async () => {
    await app?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it(`20,000 requests (seed ${seed}): each is answered, none by a failure`, { timeout: 900_000 }, async () => {
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
    const { body: document } = await app.call('/_doc?_output=openapi')
    const paths = Object.entries(document.paths).filter(([path]) => !ofUsers.test(path))
    const todo = requestsOf({ ...document, paths: Object.fromEntries(paths) }, 20_000, seed).values()
    const failures: string[] = []
    const statuses = new Map<number, number>()
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (const { method, path, headers, body, row } of todo) {
          const url = `${app.origin}/api/rest${path.replaceAll('{row_id}', String(1 + row * 7))}`
          const answer = await fetch(url, {
            method,
            headers: { ...headers, authorization },
            ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
          })
          const text = await answer.text()
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          if (answer.status >= 500) failures.push(`${method} ${url} ${String(body)} → ${answer.status} ${text}`)
        }
      }),
    )
    expect(failures).toEqual([])
    expect(statuses.get(200)).toBeGreaterThan(4000)
    expect((await app.call('/Genre/?_count=true')).status).toBe(200)
  })
})
