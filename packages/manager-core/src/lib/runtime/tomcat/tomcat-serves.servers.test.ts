import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { toolIsMissing } from '../../../../../../tests/servers/index.js'
import { ask, logOf } from '../contract/runtime-under-test.js'
import type { InstanceSpec } from '../runtime.js'
import { deployedPath } from './base-files.js'
import { javaHome, tomcatHome, tomcatUnderTest, type TomcatUnderTest } from './tomcat-for-test.js'
import { takeTestPort } from '../../testing/take-ports.js'

const missing = toolIsMissing('tomcat')

if (missing !== undefined) it('Tomcat', ({ skip }) => skip(missing))
else
  describe('Tomcat', () => {
    let subject: TomcatUnderTest
    beforeAll(async () => {
      subject = await tomcatUnderTest()
    })
    afterAll(() => subject.close())

    async function started(spec: InstanceSpec, debug = false): Promise<InstanceSpec> {
      onTestFinished(async () => void (await subject.runtime.stop(spec, { graceMs: 0, force: true })))
      await subject.runtime.start(spec, { debug })
      await expect.poll(() => statusOf(spec, deployedPath)).toBeDefined()
      return spec
    }

    it('has its settings, passes on the caller of a reverse proxy, and keeps secrets out of its command and files', async () => {
      const spec = subject.specOf('settings', await takeTestPort(), {
        context: '/shop',
        dataSource: { driverClass: 'org.postgresql.Driver', jar: '/usr/share/java/postgresql.jar' },
      })
      const secret = 'a-password-to-find'
      await started({ ...spec, environment: { ...spec.environment, SERVICE_DATABASE_PASSWORD: secret } })
      const said = (path: string, parameters = {}) => ask(spec, `/shop${path}`, parameters)
      expect(Number(await said('/memory'))).toBeLessThanOrEqual(128)
      expect(await said('/property', { name: 'file.encoding' })).toBe('UTF-8')
      const forwarded = { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'https' }
      expect((await call(spec, '/shop/caller', forwarded)).text).toBe('https 192.0.2.7 /shop')
      expect(await statusOf(spec, '/caller')).toBe(404)
      const commands = (await subject.runtime.processes(spec)).map(({ command }) => command).join('\n')
      expect(commands).toContain('-Xms32m')
      expect(commands).not.toContain(secret)
      const base = join(spec.folder, 'tomcat')
      expect(readlinkSync(join(base, 'webapps/shop'))).toBe('../../app')
      const context = readFileSync(join(base, 'conf/context.xml'), 'utf8')
      expect(context).toContain('jdbc/service')
      expect(context).not.toContain(secret)
      expect(statSync(join(base, 'conf/context.xml')).mode & 0o777).toBe(0o600)
    })

    it('takes requests at a socket, which waits for it after a crash; not when hooks changed its connector', async () => {
      const spec = { ...subject.specOf('socket', await takeTestPort()), takesSockets: true }
      await started(spec)
      const socket = subject.runtime.socketOf?.(spec)
      if (socket === undefined) return expect(process.getuid?.()).not.toBe(0)
      const at = { ...spec, socket }
      const first = await ask(at, '/id')
      expect(await ask(at, '/caller')).toBe('http 127.0.0.1 ')
      const forwarded = { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'https' }
      expect((await call(at, '/caller', forwarded)).text).toBe('https 192.0.2.7 ')
      await ask(spec, '/kill')
      const next = await ask(at, '/id', {}, 240_000)
      expect(next).not.toBe(first)
      expect(next).toBe(await ask(spec, '/id'))

      await subject.runtime.stop(spec, { graceMs: 60_000 })
      expect(await ask(at, '/id')).toBeUndefined()
      const file = join(spec.folder, 'tomcat/conf/server.xml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('${STEWARD_PORT}', String(spec.port)))
      await started(spec)
      expect(subject.runtime.socketOf?.(spec)).toBeUndefined()
    })

    it('keeps what hooks changed in its base, and follows a new context', async () => {
      const spec = subject.specOf('hooks', await takeTestPort())
      await subject.runtime.define(spec)
      const base = join(spec.folder, 'tomcat')
      writeFileSync(join(base, 'conf/context.xml'), '<Context sessionCookieName="SHOP"/>')
      await subject.runtime.define({ ...spec, tomcat: { ...spec.tomcat, context: '/shop' } as InstanceSpec['tomcat'] })
      expect(readFileSync(join(base, 'conf/context.xml'), 'utf8')).toContain('SHOP')
      expect([existsSync(join(base, 'webapps/ROOT')), existsSync(join(base, 'webapps/shop'))]).toEqual([false, true])
    })

    it('answers 503 for a web application that cannot be deployed, whose reason is in its log', async () => {
      const spec = subject.specOf('broken', await takeTestPort())
      const listener = '<listener><listener-class>shop.NotThere</listener-class></listener>'
      const file = join(spec.tomcat?.app ?? '', 'WEB-INF/web.xml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('<servlet>', `${listener}<servlet>`))
      await started(spec)
      expect(await statusOf(spec, deployedPath)).toBe(503)
      expect((await logOf(subject.runtime, spec)).join('\n')).toContain('ClassNotFoundException: shop.NotThere')
    })

    it('is started again when its heap is full, and reports it', async () => {
      const spec = await started(subject.specOf('full', await takeTestPort()))
      const heap = expect.objectContaining({ name: 'heap', value: 128, by: 'java' }) as unknown
      expect((await subject.runtime.observe(spec)).limits).toEqual(expect.arrayContaining([heap]))
      await ask(spec, '/fill')
      await expect.poll(async () => (await subject.runtime.observe(spec)).restarts).toBe(1)
      const { lastExit } = await subject.runtime.observe(spec)
      expect(lastExit).toMatchObject({ code: 3, reason: 'ran out of its memory limit of 128 MB for the heap' })
    })

    it('rotates its log while it runs', async () => {
      const spec = { ...subject.specOf('log', await takeTestPort()), log: { maxBytes: 20_000, keep: 1 } }
      await started(spec)
      for (const round of [1, 2]) {
        await ask(spec, '/print', { text: `${round} ${'x'.repeat(100)}`, times: '300' })
        await expect.poll(() => statSync(join(spec.folder, 'logs/application.log')).size).toBe(0)
      }
      const lines = await logOf(subject.runtime, spec, 1000)
      expect(lines.filter((line) => line.startsWith('2 x'))).toHaveLength(300)
      expect(existsSync(join(spec.folder, 'logs/application.log.2'))).toBe(false)
      await ask(spec, '/print', { text: 'after it' })
      await expect.poll(() => logOf(subject.runtime, spec, 1)).toEqual(['after it'])
    })

    it('speaks the protocol of debuggers where it says', async () => {
      const debugPort = await takeTestPort()
      const spec = subject.specOf('debug', await takeTestPort(), { debugPort })
      await started(spec, true)
      expect((await subject.runtime.observe(spec)).debugAddress).toBe(`127.0.0.1:${debugPort}`)
      expect(await ask(spec, '/environment', { name: 'JPDA_ADDRESS' })).toBe(`127.0.0.1:${debugPort}`)
      expect(await handshake(debugPort)).toBe('JDWP-Handshake')
    })

    it('closes its debugger after its time by a restart', async () => {
      const short = await tomcatUnderTest(0.01)
      onTestFinished(() => short.close())
      const debugPort = await takeTestPort()
      const spec = short.specOf('debug', await takeTestPort(), { debugPort })
      await short.runtime.start(spec, { debug: true })
      await expect.poll(() => ask(spec, '/environment', { name: 'JPDA_ADDRESS' })).toBe('')
      const { restarts, debugAddress } = await short.runtime.observe(spec)
      expect({ restarts, debugAddress }).toEqual({ restarts: 1, debugAddress: undefined })
      await expect(handshake(debugPort)).rejects.toThrow('ECONNREFUSED')
    })

    it.each([
      ['a folder without Java', { java: '/usr/share' }, 'APPS_JDK is /usr/share, which is not a JDK or JRE'],
      ['a folder without Tomcat', { home: '/usr/share' }, 'APPS_TOMCAT is /usr/share, which is not Tomcat'],
      ['an encoding that the shell would read', { encoding: 'UTF-8;id' }, 'APPS_ENCONDING is "UTF-8;id"'],
    ])('refuses %s, and makes nothing', async (_what, tomcat, message) => {
      const spec = subject.specOf('wrong', await takeTestPort(), tomcat)
      await expect(subject.runtime.define(spec)).rejects.toMatchObject({
        code: 'ERR_SETTINGS',
        message: expect.stringContaining(message) as string,
      })
      expect(existsSync(join(spec.folder, 'tomcat'))).toBe(false)
    })

    it('refuses a Java and a Tomcat that are too old', async () => {
      const spec = subject.specOf('old', await takeTestPort())
      const [java, home] = [join(spec.folder, 'java'), join(spec.folder, 'old')]
      mkdirSync(join(java, 'bin'), { recursive: true })
      writeFileSync(join(java, 'bin/java'), '', { mode: 0o755 })
      writeFileSync(join(java, 'release'), 'JAVA_VERSION="1.8.0_392"\n')
      const of = (tomcat: object) => ({ ...spec, tomcat: { ...spec.tomcat, ...tomcat } as InstanceSpec['tomcat'] })
      await expect(subject.runtime.define(of({ java }))).rejects.toThrow('which is Java 1.8.0_392')
      cpSync(join(tomcatHome, 'bin'), join(home, 'bin'), { recursive: true, dereference: true })
      mkdirSync(join(home, 'lib'))
      writeFileSync(join(home, 'lib/servlet-api.jar'), 'PK javax/servlet/Servlet.class')
      await expect(subject.runtime.define(of({ home }))).rejects.toThrow('which is Tomcat 9 or older')
      // One without a file of its version is asked for it.
      rmSync(join(java, 'release'))
      writeFileSync(join(java, 'bin/java'), `#!/bin/sh\nexec ${javaHome()}/bin/java "$@"\n`)
      await subject.runtime.define(of({ java }))
    })
  })

function call(
  { port, socket: socketPath }: Pick<InstanceSpec, 'port'> & { readonly socket?: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, socketPath, path, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode, text }))
    }).once('error', reject)
  })
}

const statusOf = async (spec: InstanceSpec, path: string) => (await call(spec, path).catch(() => undefined))?.status

/** What a debugger answers to the first words of its protocol. */
function handshake(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('JDWP-Handshake'))
    socket.setEncoding('utf8').once('data', (text) => resolve(String(text)) ?? socket.destroy())
    socket.once('error', reject)
  })
}
