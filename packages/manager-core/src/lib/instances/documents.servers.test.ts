import { randomBytes, randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { S3 } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startCeph, toolIsMissing, type TestCeph } from '../../../../../tests/servers/index.js'
import type { ManagerError } from '../../errors.js'
import type { Diagnosis } from '../doctor/doctor.js'
import { createDocumentBucketRows } from '../store/document-bucket-rows.js'
import { bundledManager, crashAction } from '../testing/bundled-manager.js'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'
import type { CrashReport } from '../testing/crash-point.js'
import { fakeApplicationServer } from '../testing/fake-application.js'
import { authorizationOf, realProcess } from '../testing/real-manager.js'

const seed = fc.readConfigureGlobal().seed ?? 0
const day = 24 * 3_600_000
const demo = { name: 'demo' }

describe.skipIf(toolIsMissing('radosgw'))('documents of instances in a bucket', () => {
  let ceph: TestCeph
  let s3: S3
  let test: TestManager
  let now = Date.now()
  const bucket = `documents-${randomBytes(4).toString('hex')}`

  beforeAll(async () => {
    ceph = await startCeph()
    const { endpoint, region, accessKey, secretKey } = ceph.s3
    const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
    s3 = new S3({ endpoint, region, credentials, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' })
    await s3.createBucket({ Bucket: bucket })
  })
  afterAll(async () => {
    s3?.destroy()
    await ceph?.close()
  })
  afterEach(() => test?.close())

  const addressOf = (prefix: string) => `s3://${bucket}/${prefix}?endpoint=${ceph.s3.endpoint}&region=${ceph.s3.region}`
  const keys = () => [
    `export APPS_DOCUMENTS_ACCESS_KEY=${ceph.s3.accessKey}`,
    `export APPS_DOCUMENTS_SECRET_KEY=${ceph.s3.secretKey}`,
  ]
  const inBucket = (prefix: string) => [...keys(), `export APPS_DOCUMENTS='${addressOf(prefix)}'`]
  async function managerWith(options: TestManagerOptions = {}): Promise<TestManager> {
    test = await createTestManager({ clock: () => new Date(now), ...options })
    return test
  }

  const placeOf = async (name: string) => (await test.context.settings.instance(test.path(name))).documents
  const prefixOf = (place: string | undefined) => `${new URL(place ?? '').pathname.slice(1)}/`
  /** All objects of a place, by key. */
  async function contentOf(place: string | undefined): Promise<Record<string, string>> {
    const prefix = prefixOf(place)
    const { Contents = [] } = await s3.listObjectsV2({ Bucket: bucket, Prefix: prefix })
    const found = Contents.map(async ({ Key = '' }) => {
      const { Body } = await s3.getObject({ Bucket: bucket, Key })
      return [Key.slice(prefix.length), (await Body?.transformToString()) ?? ''] as const
    })
    return Object.fromEntries(await Promise.all(found))
  }
  /** As the application does. */
  async function store(place: string | undefined, text: string): Promise<Record<string, string>> {
    const id = randomUUID()
    const files = { [`${id.slice(0, 2)}/${id}/content`]: text, [`${id.slice(0, 2)}/${id}/info.json`]: '{}' }
    for (const [key, Body] of Object.entries(files))
      await s3.putObject({ Bucket: bucket, Key: prefixOf(place) + key, Body })
    return files
  }
  function storeInFolder(name: string, text: string): Record<string, string> {
    const id = randomUUID()
    const files = { [`${id.slice(0, 2)}/${id}/content`]: text, [`${id.slice(0, 2)}/${id}/info.json`]: '{}' }
    for (const [key, content] of Object.entries(files)) {
      const file = test.path(name, 'data', 'documents', key)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    return files
  }
  const folderOf = (name: string) => filesBelow(test.path(name, 'data', 'documents'))
  function filesBelow(folder: string): Record<string, string> {
    if (!existsSync(folder)) return {}
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = files.map(({ parentPath, name }) => join(parentPath, name))
    return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]))
  }
  const lastBackup = async () => {
    const [last] = await test.context.backups.list(demo)
    return last as NonNullable<typeof last>
  }

  it('of a real application are saved, restored, cloned, proved and downloaded with it', async () => {
    await managerWith({ ...realProcess, config: inBucket('real') })
    await test.perform('add', demo)
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const call = async (name: string, path: string, init: RequestInit = {}, of = name) => {
      const headers = { Authorization: await authorizationOf(test, of), ...(init.headers as Record<string, string>) }
      return fetch(`http://127.0.0.1:${test.instance(name).port}/api/rest/${path}`, { ...init, headers })
    }
    const json = { 'Content-Type': 'application/json' }
    const made = await call('demo', 'Company', { method: 'POST', headers: json, body: '{"com_name":"Mine"}' })
    const { row_id: row } = (await made.json()) as { row_id: string }
    const logo = `Company/${row}/_document/com_logo`
    const put = () => call('demo', logo, { method: 'PUT', headers: { 'Content-Type': 'image/png' }, body: picture })
    expect((await put()).status).toBe(200)
    const logoOf = async (name: string, of = name) => Buffer.from(await (await call(name, logo, {}, of)).arrayBuffer())

    expect(existsSync(test.path('demo', 'data', 'documents'))).toBe(false)
    const first = await placeOf('demo')
    expect(Object.keys(await contentOf(first))).toHaveLength(2)
    expect(await test.perform('documents', demo)).toMatchObject({
      message: expect.stringMatching(/^"demo" has 1 document \(\d+ B\) in s3:\/\/.*\/real\/.*\.$/) as string,
    })
    await test.perform('save', demo)
    await test.perform('clone', { name: 'demo', new: 'copy' })
    await call('demo', `Company/${row}`, { method: 'PUT', headers: json, body: '{"com_logo":""}' })
    expect((await call('demo', logo)).status).toBe(404)
    expect(await logoOf('copy', 'demo')).toEqual(picture)

    await test.perform('restore', demo)
    expect(await logoOf('demo')).toEqual(picture)
    expect(await placeOf('demo')).not.toBe(first)
    await test.perform('prove', demo)
    const archive = await buffer(await downloadOf('demo'))
    expect(archive.length).toBeGreaterThan(1000)

    // To its folder, and to another bucket.
    await test.perform('movedocuments', { name: 'demo', to: 'folder' })
    expect(Object.keys(folderOf('demo'))).toHaveLength(2)
    expect(await logoOf('demo')).toEqual(picture)
    await test.perform('movedocuments', { name: 'demo', to: addressOf('other') })
    expect(existsSync(test.path('demo', 'data', 'documents'))).toBe(false)
    expect(await logoOf('demo')).toEqual(picture)
    // Nothing shows the keys.
    const { list } = await test.perform('history')
    expect(JSON.stringify(list) + test.log('demo')).not.toContain(ceph.s3.secretKey)
  })

  async function downloadOf(name: string) {
    const { createArchive } = await import('../download/create-archive.js')
    return createArchive(test.context, test.instance(name), 'data')
  }

  it('are in the backup as they were at its moment, and come back by hand, too', async () => {
    await managerWith({ config: inBucket('saved') })
    await test.perform('add', demo)
    const place = await placeOf('demo')
    const files = { ...(await store(place, 'one')), ...(await store(place, 'x'.repeat(3 << 20))) }
    await test.perform('save', demo)
    const { folder, manifest } = await lastBackup()
    expect(manifest.format).toBe(2)
    expect(manifest.files.map(({ name }) => name)).toContain('documents.tar.zst')
    await test.perform('backups verify', { ...demo, deep: true })

    const later = await store(place, 'later')
    await s3.deleteObject({ Bucket: bucket, Key: prefixOf(place) + Object.keys(files)[0] })
    await test.perform('restore', demo)
    const restored = await placeOf('demo')
    expect(restored).not.toBe(place)
    expect(await contentOf(restored)).toEqual(files)
    // What was there before is in the trash, and goes a day after nothing uses it any more.
    expect(Object.keys(await contentOf(place))).toEqual(expect.arrayContaining(Object.keys(later)))
    await test.perform('purge', { all: true })
    await test.perform('refresh')
    now += day + 1000
    await test.perform('refresh')
    expect(await contentOf(place)).toEqual({})
    expect(await contentOf(restored)).toEqual(files)

    // A manager without a bucket puts them into the folder.
    appendFileSync(join(test.home, 'config.sh'), 'export APPS_DOCUMENTS=\n')
    await test.perform('restore', { name: 'demo', as: 'local' })
    expect(await placeOf('local')).toBeUndefined()
    expect(folderOf('local')).toEqual(files)

    const unpacked = mkdtempSync(join(test.folder, 'by-hand-'))
    const { execFileSync } = await import('node:child_process')
    execFileSync('sh', ['-c', 'zstd -dc "$0/documents.tar.zst" | tar -x -C "$1"', folder, unpacked])
    expect(filesBelow(join(unpacked, 'documents'))).toEqual(files)
  })

  it('that come until it is paused for a save are in the backup, later ones are not', async () => {
    await managerWith({ config: inBucket('moment') })
    await test.perform('add', demo)
    const place = await placeOf('demo')
    const before = await store(place, 'before')
    const runtime = test.context.runtimes.named('process')
    const { suspend, resume } = runtime
    let during: Record<string, string> = {}
    let isPaused = false
    Object.assign(runtime, {
      // The last moment before the pause, and the first one after it.
      async suspend(...options: Parameters<NonNullable<typeof suspend>>) {
        during = await store(place, 'during')
        await suspend?.apply(runtime, options)
        isPaused = true
      },
      async resume(...options: Parameters<NonNullable<typeof resume>>) {
        await resume?.apply(runtime, options)
        if (isPaused) await store(place, 'after')
        isPaused = false
      },
    })
    await test.perform('save', demo)
    expect((await lastBackup()).manifest.consistency).toBe('suspended')
    await test.perform('restore', demo)
    expect(await contentOf(await placeOf('demo'))).toEqual({ ...before, ...during })
  })

  it('go with reset, delete and undelete, and are removed a day after the purge', async () => {
    await managerWith({ config: inBucket('trash') })
    await test.perform('add', demo)
    const place = await placeOf('demo')
    const files = await store(place, 'one')
    await test.perform('reset', demo)
    expect(await contentOf(await placeOf('demo'))).toEqual({})
    await test.perform('delete', { ...demo, purge: true })
    const { list = [] } = await test.perform('trash')
    const { entry } = list[0] as { readonly entry: string }
    await test.perform('undelete', { entry, as: 'back' })
    expect(await placeOf('back')).toBe(place)
    for (let times = 0; times < 2; times++) {
      await test.perform('refresh')
      now += day + 1000
    }
    expect(await contentOf(place)).toEqual(files)
    await test.perform('delete', { name: 'back', purge: true })
    await test.perform('refresh')
    expect(await contentOf(place)).toEqual(files)
    now += day + 1000
    // A registry that was rebuilt has forgotten where documents are.
    await test.perform('refresh')
    expect(await contentOf(place)).toEqual({})
    expect(createDocumentBucketRows(test.context.registry).all()).toEqual([])
  })

  it('are looked after by doctor', async () => {
    await managerWith({ config: inBucket('doctor') })
    await test.perform('add', { ...demo, 'no-start': true })
    const found = async () => {
      const { list = [] } = await test.perform('doctor', { category: 'instances', network: true })
      const diagnoses = list as unknown as readonly Diagnosis[]
      return diagnoses.filter(({ check, level }) => check === 'documents' && level === 'error')
    }
    expect(await found()).toEqual([])
    appendFileSync(join(test.home, 'config.sh'), 'export APPS_DOCUMENTS_SECRET_KEY=other\n')
    const message = expect.stringMatching(/^The documents in s3:.*doctor cannot be used: .* Used by demo\.$/) as string
    expect(await found()).toMatchObject([{ message }])
  })

  it('movedocuments refuses what cannot be, and leaves everything as it was', async () => {
    await managerWith({ config: keys() })
    await test.perform('add', demo)
    const files = storeInFolder('demo', 'mine')
    const refusal = async (to: string): Promise<ManagerError> => {
      try {
        await test.perform('movedocuments', { ...demo, to })
      } catch (error) {
        return error as ManagerError
      }
      throw new Error('It was moved.')
    }
    expect(await refusal('folder')).toMatchObject({ code: 'ERR_STATE', message: expect.stringContaining('already') })
    expect(await refusal('papers')).toMatchObject({ code: 'ERR_SETTINGS', message: expect.stringContaining('s3://') })
    const withKey = await refusal('s3://key:word@papers')
    expect(withKey).toMatchObject({
      code: 'ERR_SETTINGS',
      message: expect.stringContaining('APPS_DOCUMENTS_ACCESS_KEY'),
    })
    expect(withKey.message).not.toContain('word')
    const missing = await refusal(`s3://no-such-bucket/x?endpoint=${ceph.s3.endpoint}&region=us-east-1`)
    expect(missing).toMatchObject({ code: 'ERR_SETTINGS', message: expect.stringContaining('no-such-bucket') })
    await expect(test.perform('movedocuments', demo)).rejects.toMatchObject({ code: 'ERR_USAGE' })
    expect(folderOf('demo')).toEqual(files)

    // The application does not come up with the new place.
    test.tell('demo', { start: 'fail' })
    await expect(test.perform('movedocuments', { ...demo, to: addressOf('failed') })).rejects.toMatchObject({
      code: 'ERR_ROLLED_BACK',
    })
    expect(folderOf('demo')).toEqual(files)
    expect(await placeOf('demo')).toBeUndefined()
  })

  it('a move that is killed is finished or undone, and no document is lost', async () => {
    await managerWith({ config: keys() })
    await test.perform('add', demo)
    const files = storeInFolder('demo', 'mine')
    const { program } = await bundledManager()
    const crash = (to: string, at: number): Promise<CrashReport | undefined> => {
      const action = { home: test.home, applicationServer: fakeApplicationServer, defaultTemplate: test.template }
      const input = { ...demo, to }
      return crashAction(program, { ...action, at, action: 'movedocuments', input })
    }
    const step = process.env['TEST_DEEP'] === '1' ? 1 : 5
    for (const to of [addressOf('killed'), 'folder']) {
      let finished = false
      for (let at = 2 + (Math.abs(seed) % step); !finished && at < 60; at += step) {
        const report = await crash(to, at)
        await test.perform('operations')
        const place = await placeOf('demo')
        const context = `seed ${seed}, to ${to}, killed at entry ${at}`
        expect(place === undefined ? folderOf('demo') : await contentOf(place), context).toEqual(files)
        expect(existsSync(test.path('demo', 'data', 'documents')), context).toBe(place === undefined)
        expect(readdirSync(join(test.home, 'instances')), context).toEqual([test.instance('demo').id])
        expect(test.instance('demo'), context).toMatchObject({ observed: 'started', operation: '' })
        finished = report !== undefined
        // Recovery went forward: once more from where it was.
        if (!finished && (to === 'folder') === (place === undefined))
          await test.perform('movedocuments', { ...demo, to: to === 'folder' ? addressOf('killed') : 'folder' })
      }
      expect(finished).toBe(true)
    }
  })
})
