import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { SystemParameters } from '@steward/rest-core/system'
import type { Authentication } from '@steward/rest-koa'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadAppDefinition } from './app-definition.js'
import { mountApplication } from './mount-application.js'
import { readSettings } from './settings.js'

let folder: string
let server: Server | undefined
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-mount-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const Note = defineObject({ name: 'Note', fields: { name: { type: 'string', key: true }, text: { type: 'text' } } })
const long = 'a few words '.repeat(400)

/** Serves an application with these lines in its `app.yaml`. */
async function start(lines: string): Promise<string> {
  writeFileSync(join(folder, 'app.yaml'), `name: shop\nversion: 1.0.0\nlog: { format: none }\n${lines}\n`)
  const ann = systemPrincipal({ login: 'ann' })
  const store = createMemoryStore()
  const service = createBusinessObjects({ model: createModel([Note]), store })
  await service.create(ann, 'Note', { name: 'long', text: long })
  const app = mountApplication({
    definition: await loadAppDefinition(folder, readSettings({})),
    service,
    store,
    authentication: { authenticate: () => ann } as unknown as Authentication,
    viewAs: async () => undefined,
    watch: { look: () => undefined },
    parameters: { isYes: async (_code, standard) => standard } as SystemParameters,
    dataFolder: folder,
    neutralised: false,
    cachedUsers: () => 0,
    logger: pino({ level: 'silent' }),
  })
  server = createServer(app.callback() as never)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each([
  ['', 'gzip'],
  ['compression: true', 'gzip'],
  ['compression: false', null],
])('with "%s" in app.yaml, an answer is encoded as %s', async (lines, encoding) => {
  const origin = await start(lines)
  try {
    const answer = await fetch(`${origin}/api/rest/Note/1`)
    expect(await answer.json()).toMatchObject({ text: long })
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(answer.headers.get('vary')).toBe(encoding && 'Accept-Encoding')
  } finally {
    server?.close()
    server?.closeAllConnections()
  }
})

it.each([
  ['', 302],
  ['pages: yes', 302],
  ['pages: no', 200],
  ['pages: false', 200],
  ['level: 3.2', 200],
])('with "%s" in app.yaml, a browser at / gets %i', async (lines, status) => {
  const origin = await start(lines)
  try {
    const answer = await fetch(`${origin}/`, { headers: { Accept: 'text/html' }, redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([status, status === 302 ? 'ui/' : null])
  } finally {
    server?.close()
    server?.closeAllConnections()
  }
})

it.each([
  ['', 200],
  ['maxBodyBytes: 1000', 413],
])('with "%s" in app.yaml, a body of 5 kB gets %i', async (lines, status) => {
  const origin = await start(lines)
  try {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'other', text: long })
    expect((await fetch(`${origin}/api/rest/Note/`, { method: 'POST', headers, body })).status).toBe(status)
  } finally {
    server?.close()
    server?.closeAllConnections()
  }
})
