import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it, onTestFinished } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { authorizationOf, realApplication } from '../testing/real-manager.js'
import { unpackDownload } from '../testing/unpack-download.js'
import { takeTestPort } from '../testing/take-ports.js'

needs('postgresql', (url) => {
  it('a download of an instance on PostgreSQL starts on another machine with nothing but Node', async () => {
    const test = await createTestManager({ ...realApplication, config: databaseConfig(url) })
    onTestFinished(() => test.close())
    await test.perform('add', { name: 'demo', database: 'postgresql' })
    const folder = await unpackDownload(test, { name: 'demo', type: 'all' })
    const { password } = await test.context.settings.instance(test.path('demo'))
    const { exitCode } = await execa(
      'grep',
      ['-rqF', password.reveal(), join(folder, 'app'), join(folder, 'data'), join(folder, 'start.sh')],
      { reject: false },
    )
    expect(exitCode).toBe(1)
    expect(statSync(join(folder, 'start.sh')).mode & 0o111).toBe(0o111)
    const port = await takeTestPort()
    const child = spawn(join(folder, 'start.sh'), {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: folder, NODE: process.execPath, HTTP_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    try {
      await expect.poll(() => (child.exitCode === null ? healthOf(port) : `ended: ${output}`)).toContain('OK')
      // The user is in its data.
      const headers = { authorization: await authorizationOf(test, 'demo') }
      const { status } = await fetch(`http://127.0.0.1:${port}/api/login`, { headers })
      expect(status).toBe(200)
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(['logs', 'temp', 'work']))
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
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
