import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { unpackDownload } from '../testing/unpack-download.js'

describe('download', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo' })
    for (const name of ['document.txt', 'token.secret']) writeFileSync(test.path('demo', 'data', name), 'a document')
  })
  afterAll(() => test.close())

  it('holds the part that is asked for', async () => {
    expect(readdirSync(await unpackDownload(test, { name: 'demo', type: 'logs' }))).toEqual(['logs'])
    const webapp = await unpackDownload(test, { name: 'demo', type: 'webapp' })
    expect(readdirSync(webapp)).toEqual(['app'])
    expect(readFileSync(join(webapp, 'app', 'app.yaml'), 'utf8')).toMatch(/^name: /m)
    const data = await unpackDownload(test, { name: 'demo', type: 'data' })
    expect(readFileSync(join(data, 'data', 'document.txt'), 'utf8')).toBe('a document')
    expect(readdirSync(join(data, 'data')).filter((name) => name.startsWith('database'))).toEqual(['database.db'])
    expect(existsSync(join(data, 'data', 'token.secret'))).toBe(false)
  })

  it('leaves nothing behind when its reader stops', async () => {
    const { file } = await test.perform('download', { name: 'demo' })
    const { content } = file as NonNullable<typeof file>
    for await (const chunk of content()) if (chunk.length > 0) break
    expect(readdirSync(test.home).filter((name) => name.startsWith('.download'))).toEqual([])
  })

  it('is refused where it is switched off', async () => {
    const other = await createTestManager({ config: ['APPS_ALLOWDOWNLOAD=no'], refresh: false })
    try {
      await expect(other.perform('download', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })
    } finally {
      await other.close()
    }
  })
})
