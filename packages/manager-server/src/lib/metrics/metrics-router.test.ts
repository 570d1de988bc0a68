import { afterAll, beforeAll, expect, it } from 'vitest'
import { administrator, startPages, type TestPages } from '../../ui-for-test.js'

let pages: TestPages

beforeAll(async () => {
  pages = await startPages({ config: ['APPS_MONITORINTERVAL=1'] })
  await pages.manager.perform('add', { name: 'demo' })
  const { pretend } = pages
  pretend(['idle', 'other'])
})
afterAll(() => pages?.close())

async function metrics(authorization?: string): Promise<{ readonly status: number; readonly text: string }> {
  const password = Buffer.from(`${administrator.name}:${administrator.password}`).toString('base64')
  const headers = { authorization: authorization ?? `Basic ${password}` }
  const answer = await fetch(new URL('/metrics', pages.url), { headers })
  return { status: answer.status, text: await answer.text() }
}

it('/metrics reports instances and the server to Prometheus', async () => {
  await expect.poll(async () => (await metrics()).text).toContain('steward_instance_cpu_cores{')
  const { text } = await metrics()
  const lines = text.split('\n')
  expect(lines).toContain('steward_instance_up{instance="demo"} 1')
  expect(lines).toContain('steward_instances{state="started"} 1')
  expect(lines).toContain('steward_instances{state="stopped"} 2')
  expect(lines).toContain('steward_instance_started{instance="idle"} 0')
  expect(lines).toContain('steward_instance_info{instance="demo",version="1.0",database="sqlite",runtime="process"} 1')
  expect(lines).toContain('steward_incidents_open 0')
  expect(text).toMatch(/^steward_instance_memory_bytes\{instance="demo"\} \d{7,}/m)
  expect(text).toMatch(/^steward_server_process_cpu_seconds_total /m)
  expect(text).not.toContain('steward_instance_up{instance="idle"}')
})

it('/metrics needs the ability read, and a token for some instances sees those only', async () => {
  expect((await metrics('')).status).toBe(401)
  const token = async (name: string, input: { readonly instances?: string; readonly abilities?: string }) => {
    const { item } = await pages.manager.perform('token add', { name, ...input })
    return `Bearer ${(item as { readonly token: string }).token}`
  }
  expect((await metrics(await token('reader', { abilities: 'sensitive' }))).status).toBe(403)
  const { status, text } = await metrics(await token('prometheus', { instances: 'other' }))
  expect(status).toBe(200)
  expect(text).toContain('instance="other"')
  expect(text).not.toMatch(/instance="demo"|steward_server_/)
})
