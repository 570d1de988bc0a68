import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { S3 } from '@aws-sdk/client-s3'
import { testDocumentStore } from '@steward/rest-core/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFaultProxy } from '../../../../tests/servers/fault-proxy.js'
import { startCeph, toolIsMissing, type TestCeph } from '../../../../tests/servers/index.js'
import { basic, makeFolder, runHere, startApp } from '../running-app-for-test.js'
import { openBucket as open } from './bucket-documents.js'

const openBucket = (address: string) => open(address, 'app.yaml: documents')

describe('the address of a bucket', () => {
  test.each(['s3:papers', 's3://key:word@papers', 's3://papers?secret_key=word'])(
    '%s is refused, and nothing of it is shown',
    async (address) => {
      const said = open(address, 'STEWARD_DOCUMENTS')
      await expect(said).rejects.toThrow(
        /^STEWARD_DOCUMENTS: the address must (be like s3|hold no keys; set AWS_ACCESS_KEY_ID)/,
      )
      await expect(said).rejects.not.toThrow('word')
    },
  )

  test('an endpoint with a password is refused, and not shown', async () => {
    const failure: unknown = await openBucket('s3://papers?endpoint=http://a:word@127.0.0.1:1').catch((error) => error)
    expect(String(failure)).toContain('endpoint must be an address')
    expect(String(failure)).not.toContain('word')
  })
})

describe.skipIf(toolIsMissing('radosgw'))('documents in a bucket', () => {
  let ceph: TestCeph
  let s3: S3
  const bucket = `documents-${randomBytes(4).toString('hex')}`
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const
  const before = names.map((name) => process.env[name])
  const addressOf = (prefix: string, port = ceph.port) =>
    `s3://${bucket}/${prefix}?endpoint=http://127.0.0.1:${port}&region=${ceph.s3.region}&part_mb=5`
  const useKeys = () => {
    process.env['AWS_ACCESS_KEY_ID'] = ceph.s3.accessKey
    process.env['AWS_SECRET_ACCESS_KEY'] = ceph.s3.secretKey
  }

  beforeAll(async () => {
    ceph = await startCeph()
    useKeys()
    const { endpoint, region } = ceph.s3
    s3 = new S3({ endpoint, region, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' })
    await s3.createBucket({ Bucket: bucket })
  })
  afterAll(async () => {
    for (const [at, name] of names.entries()) {
      if (before[at] === undefined) delete process.env[name]
      else process.env[name] = before[at]
    }
    s3?.destroy()
    await ceph?.close()
  })

  const keysOf = async (prefix: string) => {
    const { Contents = [] } = await s3.listObjectsV2({ Bucket: bucket, Prefix: prefix })
    return Contents.map(({ Key = '' }) => Key)
  }

  testDocumentStore('bucket of Ceph', async () => {
    const store = await openBucket(addressOf('suite'))
    return {
      store,
      reopen: () => openBucket(addressOf('suite')),
      async dispose() {
        await store.close?.()
      },
    }
  })

  test('uploads of the suite that were cut have left no parts', async () => {
    const { Uploads = [] } = await s3.listMultipartUploads({ Bucket: bucket, Prefix: 'suite/' })
    expect(Uploads).toEqual([])
    expect(await keysOf('suite/')).not.toEqual([])
  })

  test('prefixes keep applications apart', async () => {
    const [one, two] = await Promise.all([openBucket(addressOf('one')), openBucket(addressOf('one-more'))])
    const { id } = await one.put(Buffer.from('x'), { name: 'x', path: 'Paper/pap_file', maxBytes: 10 })
    expect(await two.info(id)).toBeUndefined()
    for await (const found of two.list()) expect.unreachable(`${found.id} is of another prefix`)
    await two.delete(id)
    expect(await one.info(id)).toMatchObject({ id })
    expect(await keysOf('one/')).toEqual([
      `one/${id.slice(0, 2)}/${id}/content`,
      `one/${id.slice(0, 2)}/${id}/info.json`,
    ])
    await Promise.all([one.close?.(), two.close?.()])
  })

  test('an upload that a kill cut is swept when it is old', async () => {
    const store = await openBucket(addressOf('swept'))
    await s3.createMultipartUpload({ Bucket: bucket, Key: 'swept/00/left/content' })
    const left = async () => (await s3.listMultipartUploads({ Bucket: bucket, Prefix: 'swept/' })).Uploads ?? []
    await store.sweep?.(new Date(Date.now() - 86_400_000))
    expect(await left()).toHaveLength(1)
    await store.sweep?.(new Date(Date.now() + 86_400_000))
    expect(await left()).toEqual([])
    await store.close?.()
  })

  test('a missing bucket, a refused key and an unreachable store are reported, each with what to do', async () => {
    const missing = addressOf('x').replace(bucket, 'no-such-bucket')
    await expect(openBucket(missing)).rejects.toThrow(/no-such-bucket.*NoSuchBucket.*Create the bucket/s)
    process.env['AWS_SECRET_ACCESS_KEY'] = 'not-the-secret'
    const refused: unknown = await openBucket(addressOf('x')).catch((error: unknown) => error)
    useKeys()
    expect(String(refused)).toMatch(/SignatureDoesNotMatch.*The secret key is wrong/s)
    expect(String(refused)).not.toContain('not-the-secret')
    const proxy = await startFaultProxy({ to: ceph.port })
    await proxy.close()
    await expect(openBucket(addressOf('x', proxy.port))).rejects.toThrow(/app\.yaml: documents: .*ECONNREFUSED/)
  })

  test('calls that the store puts off are tried again; when it stays away, clients are asked to', async () => {
    const slow = await startThrottling(ceph.port)
    const store = await openBucket(addressOf('slow', slow.port))
    slow.refuse = 2
    const bytes = randomBytes(1000)
    const { id } = await store.put(Readable.from([bytes]), { name: 'x', path: 'Paper/pap_file', maxBytes: 1000 })
    expect(slow.refuse).toBe(0)
    slow.refuse = 1
    expect(await buffer(await store.read(id))).toEqual(bytes)
    expect(slow.refuse).toBe(0)
    slow.refuse = Infinity
    await expect(store.info(id)).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    const content = Readable.from([bytes])
    await expect(store.put(content, { name: 'x', path: 'Paper/pap_file', maxBytes: 1000 })).rejects.toMatchObject({
      code: 'ERR_UNAVAILABLE',
    })
    slow.refuse = 0
    expect(await keysOf('slow/')).toHaveLength(2)
    await store.close?.()
    await slow.close()
  })

  describe('of an application', () => {
    let folder: Awaited<ReturnType<typeof makeFolder>>
    beforeAll(async () => {
      folder = await makeFolder({
        'app.yaml': `name: bank\nversion: 1.0.0\nlog: { level: warn }\ndocuments: '${addressOf('bank')}'\n`,
        'objects/paper.yaml':
          'name: Paper\nfields:\n  pap_name: { type: string, key: true }\n  pap_file: { type: document }\n',
      })
    })
    afterAll(() => folder?.remove())

    test('outlive the server and its machine: what one stored the next one gives, in parts too', async () => {
      const env = {
        STEWARD_ADMIN_PASSWORD: 's3cret-word',
        AWS_ACCESS_KEY_ID: ceph.s3.accessKey,
        AWS_SECRET_ACCESS_KEY: ceph.s3.secretKey,
      }
      const headers = basic('admin', 's3cret-word')
      const content = randomBytes(11 << 20)
      const first = await startApp([folder.folder], { env })
      let path = ''
      try {
        const made = await fetch(`${first.origin}/api/rest/Paper`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ pap_name: 'one' }),
        })
        const { row_id: id } = (await made.json()) as { row_id: string }
        path = `/api/rest/Paper/${id}/_document/pap_file`
        const put = await fetch(first.origin + path, { method: 'PUT', headers, body: content })
        expect(put.status).toBe(200)
      } finally {
        await first.end('SIGKILL')
      }
      const second = await startApp([folder.folder], { env })
      try {
        const got = await fetch(second.origin + path, { headers })
        expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true)
        const range = 'bytes=6000000-6000009'
        const part = await fetch(second.origin + path, { headers: { ...headers, range } })
        expect(part.status).toBe(206)
        expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(6_000_000, 6_000_010))).toBe(true)
        expect(second.output() + second.errors()).not.toContain(ceph.s3.secretKey)
      } finally {
        await second.end()
      }
      expect(await readdir(join(folder.folder, 'data'))).not.toContain('documents')
      expect(await keysOf('bank/')).toHaveLength(2)
    })

    test('are named by --check, so that the manager knows that no folder holds them', async () => {
      const { output } = await runHere([folder.folder, '--check', '--data', join(folder.folder, 'other')])
      expect(JSON.parse(output ?? '')).toMatchObject({ problems: [], documentsPackage: '@steward/backup-targets' })
    })
  })
})

/** In front of a store; answers the next `refuse` requests by SlowDown. */
async function startThrottling(to: number) {
  const state = { refuse: 0, port: 0, close: () => Promise.resolve() }
  const server = createServer((incoming, answer) => {
    if (state.refuse > 0) {
      state.refuse--
      incoming.resume()
      answer.writeHead(503, { 'content-type': 'application/xml' })
      answer.end('<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>')
      return
    }
    const { url, method, headers } = incoming
    const outgoing = request({ host: '127.0.0.1', port: to, path: url, method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 500, given.headers)
      given.pipe(answer)
    })
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  state.port = (server.address() as AddressInfo).port
  state.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => void server.close(resolve))
  }
  return state
}
