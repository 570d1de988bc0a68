import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs, toolIsMissing } from '../../../../../tests/servers/index.js'
import { startNginx } from '../../../../../tests/servers/nginx.js'
import type { TestProxy } from '../../../../../tests/servers/proxy-server.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { authorizationOf, realProcess } from '../testing/real-manager.js'
import { startTraffic } from '../testing/traffic.js'

const limit = 240_000
const types = ['sqlite', 'postgresql', 'mysql'] as const

needs('postgresql', (postgresql) =>
  needs('mysql', (mysql) => {
    let folder: string
    let proxy: TestProxy
    let test: TestManager

    async function statisticsOf(name: string) {
      const account = test.context.databases.account(
        test.path(name),
        await test.context.settings.instance(test.path(name)),
      )
      return test.context.databases.server(test.instance(name).database).statistics(account)
    }

    const missing = toolIsMissing('nginx')
    beforeAll(async () => {
      if (missing !== undefined) return
      folder = mkdtempSync(join(tmpdir(), 'steward-published-'))
      proxy = await startNginx({ include: join(folder, 'live') })
      const publication = [...proxy.settings, `export APPS_PROXYDIR=${folder}`, 'export APPS_SSL=false']
      test = await createTestManager({
        ...realProcess,
        config: [...databaseConfig(postgresql, mysql), ...publication, 'export APPS_HEALTHWINDOW=0'],
      })
      await Promise.all(types.map((database) => test.perform('add', { name: database, database })))
      await test.context.proxies.publish(test.caller)
    }, limit)
    afterAll(async () => {
      for (const name of types) await test?.perform('delete', { name, purge: true })
      await test?.close()
      await proxy?.close()
      if (folder) rmSync(folder, { recursive: true })
    }, limit)

    it(
      'two copies of an application serve one database: each record is written once, none is refused',
      async (context) => {
        if (missing !== undefined) return context.skip(missing)
        for (const name of types) {
          const authorization = await authorizationOf(test, name)
          const { rows } = await statisticsOf(name)
          const traffic = startTraffic({
            port: proxy.http,
            headers: { Host: `${name}.localhost`, Authorization: authorization, 'Content-Type': 'application/json' },
            path: ({ method }) => (method === 'POST' ? '/api/rest/Company' : '/api/rest/Task'),
            body: (id) => JSON.stringify({ com_name: `Company ${id}` }),
            pauseMs: 20,
          })
          await traffic.round()
          expect((await test.perform('restart', { name })).warnings).toBe(undefined)
          if (name === 'sqlite') expect((await test.perform('upgrade', { name, force: true })).warnings).toBe(undefined)
          await traffic.round()
          await traffic.stop()
          expect(traffic.failures).toEqual([])
          const made = traffic.answers.flatMap((answer) => /^\{"row_id":"(\d+)"/.exec(answer)?.[1] ?? [])
          expect(made.length).toBeGreaterThan(10)
          expect(new Set(made).size).toBe(made.length)
          expect((await statisticsOf(name)).rows['company']).toBe(rows['company']! + made.length)
        }
      },
      limit,
    )
  }),
)
