import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { authorizationOf, createRealManager } from '../testing/real-manager.js'

describe('download', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createRealManager()
    await test.perform('add', { name: 'demo' })
    writeFileSync(test.path('demo', 'data', 'document.txt'), 'a document')
  })
  afterAll(() => test.close())

  /** Unpacks it with the system's tar into a new folder. */
  async function unpack(input: Record<string, string>): Promise<string> {
    const { file } = await test.perform('download', { name: 'demo', ...input })
    const { name, content } = file as NonNullable<typeof file>
    const folder = join(test.folder, `unpacked-${name}`)
    mkdirSync(folder)
    const archive = join(folder, 'archive.tar.gz')
    await pipeline(Readable.from(content()), createWriteStream(archive))
    await execa('tar', ['-xzf', archive, '-C', folder])
    return join(folder, 'demo')
  }

  it('holds the part that is asked for', async () => {
    expect(readdirSync(await unpack({ type: 'logs' }))).toEqual(['logs'])
    const webapp = await unpack({ type: 'webapp' })
    expect(readdirSync(webapp)).toEqual(['app'])
    expect(readFileSync(join(webapp, 'app', 'app.yaml'), 'utf8')).toMatch(/^name: /m)
    const data = await unpack({ type: 'data' })
    expect(readFileSync(join(data, 'data', 'document.txt'), 'utf8')).toBe('a document')
    expect(readdirSync(join(data, 'data')).filter((name) => name.startsWith('database'))).toEqual(['database.db'])
    expect(existsSync(join(data, 'data', 'token.secret'))).toBe(false)
  })

  it('starts on another machine with nothing but Node', async () => {
    const folder = await unpack({ type: 'all' })
    const { password } = await test.context.settings.instance(test.path('demo'))
    const { exitCode } = await execa(
      'grep',
      ['-rqF', password.reveal(), join(folder, 'app'), join(folder, 'data'), join(folder, 'start.sh')],
      { reject: false },
    )
    expect(exitCode).toBe(1)
    expect(statSync(join(folder, 'start.sh')).mode & 0o111).toBe(0o111)
    const port = await freePort()
    const child = spawn(join(folder, 'start.sh'), {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: folder, NODE: process.execPath, HTTP_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    try {
      await expect
        .poll(() => (child.exitCode === null ? healthOf(port) : `ended: ${output}`), { timeout: 60_000 })
        .toContain('OK')
      // The user is in its data.
      const headers = { authorization: await authorizationOf(test, 'demo') }
      const { status } = await fetch(`http://127.0.0.1:${port}/api/login`, { headers })
      expect(status).toBe(200)
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(['logs', 'temp', 'work']))
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }, 120_000)

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

async function healthOf(port: number): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`)
    return await response.text()
  } catch (error) {
    return String(error)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
