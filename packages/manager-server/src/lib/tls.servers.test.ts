import { execFileSync } from 'node:child_process'
import { utimesSync, writeFileSync } from 'node:fs'
import { get as getPlain } from 'node:http'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import { connect, type PeerCertificate } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createManager, type Manager } from '@steward/manager-core'
import { startPebble } from '../../../../tests/servers/pebble.js'
import { freePorts } from '../../../../tests/servers/ports.js'
import { toolIsMissing } from '../../../../tests/servers/tools.js'
import {
  createTestManager,
  type TestManagerOptions,
} from '../../../manager-core/src/lib/testing/create-test-manager.js'
import { createManagerServer } from './create-manager-server.js'
import { takeTestPort } from '../../../manager-core/src/lib/testing/take-ports.js'

async function serverWith(config: readonly string[], listen: string) {
  const built = createManager as unknown as NonNullable<TestManagerOptions['createManager']>
  const made = await createTestManager({ createManager: built, refresh: false, config })
  onTestFinished(() => made.close())
  const server = await createManagerServer({ manager: made.manager as unknown as Manager, listen })
  onTestFinished(() => server.close())
  return { ...made, server }
}

/** What a server shows; undefined: it has none. */
function certificateAt(port: number): Promise<PeerCertificate | undefined> {
  return new Promise((resolve) => {
    const socket = connect(
      { port, host: '127.0.0.1', servername: 'apps.example.org', rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerCertificate())
        socket.end()
      },
    )
    socket.once('error', () => resolve(undefined))
  })
}

function selfSigned(folder: string, name: string, { days = 30, serial = 1 } = {}) {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      String(days),
      '-set_serial',
      String(serial),
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=DNS:apps.example.org',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  )
  return { certificate, key }
}

test('the server speaks HTTPS with the configured certificate, and takes another one without a restart', async () => {
  const port = await takeTestPort()
  const { folder } = await createTestManager({ refresh: false }).then((one) => {
    onTestFinished(() => one.close())
    return one
  })
  const { certificate, key } = selfSigned(folder, 'own', { serial: 1 })
  const { server } = await serverWith(
    [
      `export APPS_BASEURL=https://apps.example.org:${port}`,
      `export APPS_SERVER_CERT=${certificate}`,
      `export APPS_SERVER_KEY=${key}`,
    ],
    `127.0.0.1:${port}`,
  )
  expect(server.url).toBe(`https://127.0.0.1:${port}`)
  expect((await certificateAt(port))!.serialNumber).toBe('01')
  selfSigned(folder, 'own', { serial: 2 })
  await expect.poll(async () => (await certificateAt(port))?.serialNumber).toBe('02')
  // A half-written one is not taken, and nothing ends.
  writeFileSync(certificate, '-----BEGIN CERTIFICATE-----\nMIIB')
  utimesSync(certificate, new Date(), new Date(Date.now() + 5000))
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await certificateAt(port))!.serialNumber).toBe('02')
})

test('behind a reverse proxy of the operator, and without a certificate, it speaks HTTP', async () => {
  const { server } = await serverWith(['export APPS_BASEURL=https://apps.example.org'], '127.0.0.1:0')
  expect(server.url).toMatch(/^http:/)
})

const reason = toolIsMissing('pebble')

test.skipIf(reason !== undefined)(
  `a certificate is issued to the server itself while it runs ${reason ?? ''}`,
  async () => {
    const [port = 0, httpPort = 0] = await freePorts(2)
    const pebble = await startPebble({ httpPort })
    onTestFinished(() => pebble.close())
    await serverWith(
      [
        `export APPS_BASEURL=https://apps.example.org:${port}/manager`,
        `export APPS_PROXYHTTP=${httpPort}`,
        ...pebble.settings,
      ],
      `127.0.0.1:${port}`,
    )
    await expect.poll(() => certificateAt(port), { interval: 300 }).toBeTruthy()
    const ca = await pebble.authority()
    const agent = new Agent({
      ca,
      lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    const status = await new Promise((resolve, reject) => {
      get(`https://apps.example.org:${port}/manager/ping`, { agent }, (answer) => {
        resolve(answer.statusCode)
        answer.resume()
      }).once('error', reject)
    })
    expect(status).toBe(200)
    agent.destroy()
    const plain = await new Promise<(string | number | undefined)[]>((resolve, reject) => {
      getPlain(`http://127.0.0.1:${httpPort}/manager/ui/?a=1`, { agent: false }, ({ statusCode, headers }) =>
        resolve([statusCode, headers.location]),
      ).once('error', reject)
    })
    expect(plain).toEqual([308, `https://apps.example.org:${port}/manager/ui/?a=1`])
  },
)
