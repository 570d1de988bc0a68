import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { isPrivateAddress } from './private-addresses.js'
import { createWebhookSender } from './webhook-sender.js'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function receive(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const call = (url: string, allowPrivate = true, signal = AbortSignal.timeout(10_000)) =>
  createWebhookSender({ allowPrivate })({ url, headers: { 'x-test': 'yes' }, body: '{"ü":1}', signal })

it('isPrivateAddress() knows networks that are not the internet', () => {
  for (const address of [
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fd00::1',
    'fe80::1%eth0',
    'not an address',
  ])
    expect([address, isPrivateAddress(address)]).toEqual([address, true])
  for (const address of ['1.1.1.1', '172.32.0.1', '93.184.215.14', '2606:4700:4700::1111', '::ffff:1.1.1.1'])
    expect([address, isPrivateAddress(address)]).toEqual([address, false])
})

it('makes a POST and gives the status', async () => {
  const seen: unknown[] = []
  const port = await receive((request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => {
      seen.push(request.method, request.headers['x-test'], request.headers['content-length'], body)
    })
    request.on('end', () => response.writeHead(418).end())
  })
  expect(await call(`http://127.0.0.1:${port}/hook?a=1`)).toBe(418)
  expect(seen).toEqual(['POST', 'yes', '8', '{"ü":1}'])
})

it('does not reach private networks, by address or by name', async () => {
  let calls = 0
  const port = await receive((_, response) => {
    calls++
    response.end()
  })
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])
    await expect(call(`http://${host}:${port}/`, false)).rejects.toThrow('Its address is not one of the internet')
  expect(calls).toBe(0)
})

it('does not follow redirects', async () => {
  const urls: (string | undefined)[] = []
  const port = await receive((request, response) => {
    urls.push(request.url)
    response.writeHead(307, { location: '/other' }).end()
  })
  expect(await call(`http://127.0.0.1:${port}/hook`)).toBe(307)
  expect(urls).toEqual(['/hook'])
})

it('cuts an answer without end', async () => {
  let closed = false
  const port = await receive((_, response) => {
    response.on('close', () => (closed = true)).on('error', () => {})
    response.on('drain', () => response.write('x'.repeat(100_000)))
    response.write('x'.repeat(100_000))
  })
  expect(await call(`http://127.0.0.1:${port}/`)).toBe(200)
  await expect.poll(() => closed).toBe(true)
})

it('fails with the reason of its signal, and without showing the address', async () => {
  const port = await receive(() => {})
  await expect(call(`http://127.0.0.1:${port}/`, true, AbortSignal.timeout(20))).rejects.toThrow(
    expect.objectContaining({ name: 'TimeoutError' }),
  )
  servers[0]?.close()
  servers[0]?.closeAllConnections()
  await expect(call(`http://127.0.0.1:${port}/secret`)).rejects.toThrow(/^It could not be called \(ECONNREFUSED\)\.$/)
})
