import { appendFileSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSwift, toolIsMissing, type TestSwift } from '../../../../../../tests/servers/index.js'
import { startSshd, type TestSshd } from '../../../../../../tests/servers/sshd.js'
import { createManagerWithStore, type ManagerWithStore } from '../../testing/manager-with-store.js'

const demo = { name: 'demo' }
let test: ManagerWithStore
afterEach(() => test.close())

const set = (...lines: string[]) =>
  appendFileSync(join(test.home, 'config.sh'), lines.map((line) => `${line}\n`).join(''))
const countAt = async (at: string) => (await test.perform('backups list', { at })).list?.length

const noSshd = toolIsMissing('sshd') ?? toolIsMissing('ssh')

describe.skipIf(noSshd)('backups at an OpenSSH server', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd?.close())

  it('continue where it was killed in mid-upload; a wrong key is refused', async () => {
    const { server, port, user, path, key: keyFile, known_hosts } = sshd.options as Record<string, string>
    test = await createManagerWithStore({
      config: [
        `APPS_SCP_SERVER=${server}`,
        `APPS_SCP_PORT=${port}`,
        `APPS_SCP_USER=${user}`,
        `APPS_SCP_PATH=${path}`,
        `APPS_SCP_KEY=${keyFile}`,
        `APPS_SCP_KNOWN_HOSTS=${known_hosts}`,
      ],
    })
    const key = test.madeUp(new Date(), 4 << 20)
    set('APPS_TARGET_BANDWIDTH=6000')
    const cut = test.perform('backups export', { ...demo, to: 'scp' })
    cut.catch(() => undefined)
    const partial = () => readdirSync(sshd.store, { recursive: true }).some((file) => String(file).endsWith('.part'))
    await expect.poll(partial, { interval: 10 }).toBe(true)
    await sshd.stop()
    await expect(cut).rejects.toMatchObject({ code: 'ERR_TARGET', message: expect.stringMatching(/^Target "scp": /) })
    await sshd.start()
    expect(await countAt('scp')).toBe(0)

    set('APPS_TARGET_BANDWIDTH=')
    await test.perform('backups export', { ...demo, to: 'scp' })
    expect(readdirSync(join(sshd.store, key)).toSorted()).toEqual(['db.sqlite.zst', 'files.tar.zst', 'manifest.json'])
    renameSync(join(test.home, 'save', key), join(test.folder, 'away'))
    await test.perform('backups fetch', { ...demo, from: 'scp' })
    await test.perform('backups verify', demo)

    set(`APPS_SCP_KEY=${sshd.strangerKey}`)
    await expect(countAt('scp')).rejects.toMatchObject({ code: 'ERR_TARGET', message: expect.stringContaining('scp') })
  })
})

const noSwift = toolIsMissing('swift') ?? toolIsMissing('memcached')

describe.skipIf(noSwift)('backups at OpenStack Swift', () => {
  let swift: TestSwift
  beforeAll(async () => {
    swift = await startSwift()
  })
  afterAll(() => swift?.close())

  it('are in the main and the alternative container; the password appears nowhere', async () => {
    test = await createManagerWithStore({
      config: [
        `APPS_STORE_A_AUTH_URL=${swift.auth.url}`,
        `APPS_STORE_A_USERNAME=${swift.auth.user}`,
        `APPS_STORE_A_PASSWORD=${swift.auth.key}`,
        'APPS_STORE_A_CONTAINER=main',
        'APPS_STORE_A_CONTAINER_ALT=other',
        'APPS_STORE_A_PREFIX_ALT=here/',
      ],
    })
    const key = test.madeUp()
    const done = await test.perform('backups export', { ...demo, to: 'swift,swift-alt' })
    expect(done.message).toBe(`The backup ${key} is at swift, swift-alt.`)
    await test.perform('backups verify', { ...demo, at: 'swift-alt' })
    expect((await test.perform('backups list')).list).toMatchObject([{ copies: 'swift, swift-alt' }])

    set('APPS_STORE_A_PASSWORD=wr0ngS3cret')
    const refused = await countAt('swift').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'ERR_TARGET' })
    const told = [
      refused,
      await test.perform('history'),
      await test.perform('config'),
      await test.perform('target list'),
    ]
    const text = told.map((each) => (each instanceof Error ? `${each.message} ${each.stack}` : JSON.stringify(each)))
    expect(text.join('\n')).not.toContain('wr0ngS3cret')
    expect(text.join('\n')).not.toContain(swift.auth.key)
  })
})

it.skipIf(!noSshd && !noSwift)('is tested with real servers', ({ skip }) => skip(noSshd ?? noSwift))
