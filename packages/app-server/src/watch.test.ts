import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeFolder, startApp } from './running-app-for-test.js'

const object = (name: string) => `name: ${name}\nfields: { a: { type: string } }\n`

test('--watch serves the application again after a change, also after one that was wrong', async () => {
  const { folder, remove } = await makeFolder({
    'app.yaml': 'name: watched\nversion: 1.0.0\n',
    'objects/first.yaml': object('First'),
  })
  const app = await startApp([folder, '--watch'], { env: { STEWARD_ADMIN_PASSWORD: 's3cret-word' } })
  const origin = () => [...app.output().matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].at(-1)?.[0]
  const starts = () => app.output().split('Stop:').length - 1
  const headers = { Authorization: `Basic ${btoa('admin:s3cret-word')}` }
  const status = async (name: string) => (await fetch(`${origin()}/api/rest/${name}/`, { headers })).status
  const wait = { timeout: 60_000 }
  expect([starts(), await status('First'), await status('Second')]).toEqual([1, 200, 404])

  await writeFile(join(folder, 'objects/second.yaml'), 'name: Second\nfields: [')
  await vi.waitFor(() => expect(app.errors()).toContain('waiting for a change of the application'), wait)
  await writeFile(join(folder, 'objects/second.yaml'), object('Second'))
  await vi.waitFor(() => expect(starts()).toBeGreaterThan(1), wait)
  expect(await status('Second')).toBe(200)

  expect(await app.end()).toBe(0)
  await remove()
}, 120_000)
