import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { mailServer, plain } from '../../mail/mail-server-for-test.js'
import { createTestManager } from '../../testing/create-test-manager.js'

async function scheduled(version: string, port: number) {
  const test = await createTestManager({
    refresh: false,
    version: [`APPS_TEMPLATE=${version}`],
    config: ['APPS_MAILSERVER=127.0.0.1', `APPS_MAILPORT=${port}`, 'APPS_EMAIL=operator@example.org'],
  })
  onTestFinished(() => test.close())
  return test
}

it('reports failures of unattended actions, and nothing else', async () => {
  const { received, port } = await mailServer(plain)
  const test = await scheduled('folder:/not/there', port)
  expect(await test.perform('refresh', {}, { surface: 'schedule' })).toMatchObject({ exitCode: 1 })
  expect(received).toHaveLength(1)
  expect(received[0]?.text).toContain('Subject: [localhost:8000] refresh failed')
  expect(received[0]?.text).toContain('/not/there')

  await expect(test.perform('refresh', { what: 'x' }, { surface: 'schedule' })).rejects.toMatchObject({
    code: 'ERR_USAGE',
  })
  await test.perform('refresh', {}, { surface: 'cli' })
  await test.perform('startall', {}, { surface: 'schedule' })
  expect(received).toHaveLength(1)
})

it('reports an action that ends with an error', async () => {
  const { received, port } = await mailServer(plain)
  const test = await scheduled('default', port)
  rmSync(test.context.home.templates, { recursive: true, force: true })
  writeFileSync(test.context.home.templates, 'no folder')
  await test.perform('refresh', {}, { surface: 'schedule' }).catch(() => undefined)
  expect(received).toHaveLength(1)
})

it('ends as it would without mail when that cannot be sent', async () => {
  const test = await scheduled('folder:/not/there', 1)
  const { warnings } = await test.perform('refresh', {}, { surface: 'schedule' })
  expect(warnings?.at(-1)).toMatch(/^The failure could not be mailed: /)
  writeFileSync(join(test.home, 'config.sh'), 'APPS_BASEURL=http://localhost:8000\ntouch x\n')
  const broken = await test.perform('refresh', {}, { surface: 'schedule' })
  expect(broken.warnings?.join('\n')).toMatch(
    /config\.sh:2: .*"touch" is not allowed[^\n]*\nThe failure could not be mailed/,
  )
})
