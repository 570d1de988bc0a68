import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createManager, type Manager } from '@steward/manager-core'
import { makeFolder } from '../../../../tests/servers/folders.js'
import { startNginx } from '../../../../tests/servers/nginx.js'
import { startPebble } from '../../../../tests/servers/pebble.js'
import { toolIsMissing } from '../../../../tests/servers/tools.js'
import {
  createTestManager,
  type TestManagerOptions,
} from '../../../manager-core/src/lib/testing/create-test-manager.js'
import { createManagerServer } from './create-manager-server.js'

const reason = toolIsMissing('pebble') ?? toolIsMissing('nginx')

/** Issuer of the certificate that a host shows; undefined: it has no HTTPS. */
function issuerOf(host: string, port: number, ca: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: host, ca }, () => {
      resolve(String(socket.getPeerCertificate().issuer.CN))
      socket.end()
    })
    socket.once('error', () => resolve(undefined))
  })
}

test.skipIf(reason !== undefined)(
  `new instances get certificates over ACME, and nginx publishes them with HTTPS ${reason ?? ''}`,
  async () => {
    const folder = await makeFolder('proxy')
    const nginx = await startNginx({ include: join(folder, 'live') })
    onTestFinished(() => nginx.close())
    const pebble = await startPebble({ httpPort: nginx.http })
    onTestFinished(() => pebble.close())
    const built = createManager as unknown as NonNullable<TestManagerOptions['createManager']>
    const made = await createTestManager({
      createManager: built,
      config: [
        'export APPS_BASEURL=https://apps.example.org',
        'export APPS_PASSWORD=correct-horse-battery',
        `export APPS_PROXYDIR=${folder}`,
        ...nginx.settings,
        ...pebble.settings,
        // Nothing but challenges goes over HTTP.
        'export APPS_SSL=force',
      ],
    })
    onTestFinished(() => made.close())
    await made.perform('add', { name: 'Demo' })
    const server = await createManagerServer({ manager: made.manager as unknown as Manager, listen: '127.0.0.1:0' })
    onTestFinished(() => server.close())
    const ca = await pebble.authority()
    for (const host of ['apps.example.org', 'demo.apps.example.org'])
      await expect.poll(() => issuerOf(host, nginx.https, ca)).toMatch(/^Pebble/)
    // Tokens are no paths.
    for (const token of ['..%2fstate.json', '%2e%2e/state.json', 'x'.repeat(300), '', 'a%00b'])
      expect((await fetch(`${server.url}/.well-known/acme-challenge/${token}`)).status, token).toBe(404)
    expect((await made.perform('doctor', { category: 'certificates' })).exitCode).toBe(0)
  },
  120_000,
)
