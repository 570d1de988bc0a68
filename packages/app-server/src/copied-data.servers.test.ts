import { cp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { basic, makeFolder, startApp } from './running-app-for-test.js'

const soon = { timeout: 60_000, interval: 50 }
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

const files = {
  'app.yaml': 'name: shop\nversion: 1.0.0\nlog: { format: none }\nevents: { allowPrivateWebhooks: true }\n',
  'objects/note.yaml': 'name: Note\nevents: true\nfields:\n  not_text: { type: string }\n',
  'objects/job.mjs': `
import { appendFile } from 'node:fs/promises'
export const Job = {
  name: 'Job',
  fields: { job_name: { type: 'string' } },
  actions: {
    wait: {
      scope: 'global',
      background: true,
      resumable: true,
      async run({ signal }) {
        await appendFile(process.env.RUNS, process.env.STEWARD_INSTANCE + ' ')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    },
  },
}
`,
}

const admin = { ...basic('admin', 's3cret-passw0rd'), 'content-type': 'application/json' }

it('a copy of the data continues no action and sends no message of its origin, which continues both', async () => {
  const { folder, remove } = await makeFolder(files)
  cleanUps.push(remove)
  const runs = join(folder, 'runs')
  await writeFile(runs, '')
  const told: string[] = []
  const isHealthy = { now: false }
  const receiver = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      if (isHealthy.now) told.push(text)
      response.writeHead(isHealthy.now ? 200 : 503).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => receiver.close())
  const start = async (instance: string, data: string) => {
    const env = { STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd', STEWARD_INSTANCE: instance, RUNS: runs }
    const app = await startApp([folder, '--data', join(folder, data)], { env })
    cleanUps.push(() => app.end())
    const call = async (path: string, body?: object) => {
      const options = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      // oxlint-disable-next-line typescript/no-explicit-any -- each call knows what it asked for
      return (await (await fetch(`${app.origin}/api/rest/${path}`, { headers: admin, ...options })).json()) as any
    }
    return { ...app, call }
  }
  const origin = await start('one', 'data')
  await origin.call('Webhook', {
    whk_name: 'w',
    whk_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    whk_secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  })
  await origin.call('Note', { not_text: 'of the origin' })
  const { id } = await origin.call('Job/action:wait', {})
  await expect.poll(() => readFile(runs, 'utf8'), soon).toBe('one ')
  await expect.poll(async () => (await origin.call('WebhookDelivery'))[0]?.whd_attempts, soon).toBeGreaterThan(0)
  await origin.end('SIGKILL')
  await cp(join(folder, 'data'), join(folder, 'copy'), { recursive: true })
  isHealthy.now = true

  const copy = await start('two', 'copy')
  expect(copy.errors()).toContain('The data was copied from another instance')
  expect(await copy.call(`_task/${id}`)).toMatchObject({ status: 'failed', error: { code: 'ERR_UNAVAILABLE' } })
  expect(await copy.call('WebhookDelivery')).toMatchObject([{ whd_status: 'skipped' }])
  await copy.call('Note', { not_text: 'of the copy' })
  await expect.poll(() => told.length, soon).toBe(1)
  expect(await copy.call(`WebhookDelivery?whd_status=done`)).toHaveLength(1)
  await copy.end()

  const again = await start('one', 'data')
  await expect.poll(() => readFile(runs, 'utf8'), soon).toBe('one one ')
  expect(again.errors()).not.toContain('copied from another instance')
  expect(await again.call(`_task/${id}`)).toMatchObject({ status: 'running' })
})
