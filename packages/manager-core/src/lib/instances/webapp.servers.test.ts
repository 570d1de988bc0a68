import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { needs, toolIsMissing } from '../../../../../tests/servers/index.js'
import { javaHome, quickJava, tomcatHome } from '../runtime/tomcat/tomcat-for-test.js'
import { databaseConfig } from '../testing/database-config.js'
import { managerOfWebapps, note, notesOf } from './webapps-for-test.js'
import { unpackDownload } from '../testing/unpack-download.js'
import { takeTestPort } from '../testing/take-ports.js'
const missing = toolIsMissing('tomcat')
/** Each of these starts Java many times. */
const isDeep = process.env['TEST_DEEP'] === '1'

if (missing !== undefined) it('Java web applications', ({ skip }) => skip(missing))
else
  describe('a Java web application', () => {
    let test: Awaited<ReturnType<typeof managerOfWebapps>>
    let added: string
    beforeAll(async () => {
      test = await managerOfWebapps()
      added = (await test.perform('add', { name: 'shop' })).message
      await note(test, 'shop', 'Grüße')
    })
    afterAll(() => test.close())

    it('is added on Tomcat, and says that it is well', async () => {
      expect(test.instance('shop')).toMatchObject({ runtime: 'tomcat', observed: 'started' })
      // The administrator of the settings is one of Node applications.
      expect(added).not.toContain('Log in as')
      const { message, exitCode } = await test.perform('health', { name: 'shop' })
      expect({ message, exitCode }).toMatchObject({ message: expect.stringContaining('status=OK'), exitCode: 0 })
      expect(await notesOf(test, 'shop')).toBe('Grüße\n')
      expect((await test.perform('app-status', { name: 'shop' })).item).toMatchObject({ health: 'OK', restarts: 0 })
    })

    it('keeps its data over an upgrade, which installs Tomcat again; one that is not deployed is rolled back', async () => {
      const context = test.path('shop', 'tomcat/conf/context.xml')
      writeFileSync(context, `${readFileSync(context, 'utf8')}<!-- by a hook -->`)
      await test.perform('restart', { name: 'shop' })
      expect(readFileSync(context, 'utf8')).toContain('by a hook')
      await test.change((before) => before.replace('>notes<', '>notes <'))
      await test.perform('upgrade', { name: 'shop' })
      expect(readFileSync(context, 'utf8')).not.toContain('by a hook')
      expect(await notesOf(test, 'shop')).toBe('Grüße\n')

      const good = readFileSync(join(test.template, 'WEB-INF/web.xml'), 'utf8')
      const listener = '<listener><listener-class>shop.NotThere</listener-class></listener>'
      await test.change((before) => before.replace('<servlet>', `${listener}<servlet>`))
      await expect(test.perform('upgrade', { name: 'shop' })).rejects.toMatchObject({
        message: expect.stringContaining('Tomcat could not deploy its web application') as string,
        output: expect.stringContaining('shop.NotThere') as string,
      })
      expect(await notesOf(test, 'shop')).toBe('Grüße\n')
      expect(existsSync(test.path('shop', 'tomcat/conf/server.xml'))).toBe(true)
      await test.change(() => good)
    })

    it('is saved with its files, restored, and cloned', async () => {
      await test.perform('save', { name: 'shop' })
      await note(test, 'shop', 'later')
      await test.perform('clone', { name: 'shop', new: 'copy' })
      expect(await notesOf(test, 'copy')).toBe('Grüße\nlater\n')
      await note(test, 'copy', 'of the copy')
      await test.perform('restore', { name: 'shop' })
      expect(await notesOf(test, 'shop')).toBe('Grüße\n')
      await test.perform('reset', { name: 'copy' })
      expect(await notesOf(test, 'copy')).toBe('')
    })

    it.each([
      ['task-purgelogs', {}],
      ['unitttests', { test: 'all' }],
    ])('%s is refused in words', async (action, input) => {
      await expect(test.perform(action, { name: 'shop', ...input })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining('is a Java web application') as string,
      })
    })

    it('is downloaded, unpacked elsewhere, and started with the Tomcat that is there', async () => {
      const folder = await unpackDownload(test, { name: 'shop', type: 'all' })
      const [admin, http, https] = [await takeTestPort(), await takeTestPort(), await takeTestPort()]
      const environment = {
        PATH: '/usr/bin:/bin',
        JAVA_HOME: javaHome(),
        // The script has options of its own, as long as there are none for it.
        JAVA_TOOL_OPTIONS: await quickJava(),
        TOMCAT_ROOT: tomcatHome,
        TOMCAT_ADMIN_PORT: String(admin),
        TOMCAT_HTTP_PORT: String(http),
        TOMCAT_SSL_PORT: String(https),
      }
      const call = (...args: string[]) =>
        execa(join(folder, 'start.sh'), args, { env: environment, extendEnv: false, cwd: '/' })
      onTestFinished(() => void call('stop').catch(() => undefined))
      await call()
      const healthOf = async () => (await fetch(`http://127.0.0.1:${http}/health`)).text()
      await expect.poll(() => healthOf().catch(String)).toContain('status=OK')
      expect(await (await fetch(`http://127.0.0.1:${http}/notes`)).text()).toBe('Grüße\n')
      await call('stop')
      await expect.poll(() => healthOf().catch(() => 'ended')).toBe('ended')

      // With a keystore it answers over HTTPS, too.
      const keystore = join(folder, 'keystore.p12')
      const key = ['-genkeypair', '-keyalg', 'RSA', '-dname', 'CN=localhost', '-storetype', 'PKCS12']
      await execa(join(javaHome(), 'bin/keytool'), [...key, '-keystore', keystore, '-storepass', 'changeit'])
      Object.assign(environment, { TOMCAT_KEYSTORE: keystore, TOMCAT_KEYSTORE_PASSWORD: 'changeit' })
      await call()
      const secure = () => execa('curl', ['-ks', `https://127.0.0.1:${https}/notes`])
      await expect.poll(async () => (await secure().catch(() => undefined))?.stdout).toBe('Grüße')
    })

    it('answers below its name, and below another one when it is renamed, without saying how it is', async () => {
      const other = await managerOfWebapps(['export APPS_ROOTCONTEXT=false'])
      onTestFinished(() => other.close())
      await other.change((before) => before.replace('>/health<', '>/well<'))
      await other.perform('add', { name: 'office' })
      expect(await notesOf(other, 'office', '/office')).toBe('')
      await other.perform('rename', { name: 'office', new: 'bureau' })
      expect(await notesOf(other, 'bureau', '/bureau')).toBe('')
      const { message, exitCode } = await other.perform('health', { name: 'bureau' })
      expect({ message, exitCode }).toEqual({
        message: '"bureau" answers /health with HTTP 404: its web application does not report its health.',
        exitCode: 0,
      })
    })

    it.runIf(isDeep)('has its debugger open at each start when its settings say so', async () => {
      const port = await takeTestPort()
      const settings = test.path('shop', 'settings.sh')
      const before = readFileSync(settings, 'utf8')
      writeFileSync(settings, `${before}SERVICE_DEBUG=true\nSERVICE_DEBUG_ORIGIN=${port}\n`)
      await test.perform('restart', { name: 'shop' })
      expect((await test.perform('app-status', { name: 'shop' })).item).toMatchObject({ debugger: `127.0.0.1:${port}` })
      writeFileSync(settings, before)
      await test.perform('restart', { name: 'shop' })
      expect((await test.perform('app-status', { name: 'shop' })).item).toMatchObject({ debugger: '' })
    })

    it.runIf(isDeep)('is proved by its backup, and its upgrade rehearsed', async () => {
      await test.perform('save', { name: 'shop' })
      expect((await test.perform('prove', { name: 'shop' })).message).toContain('can be restored')
      await test.change((before) => `${before}<!-- another revision -->`)
      expect((await test.perform('upgrade', { name: 'shop', rehearse: true })).exitCode ?? 0).toBe(0)
      const { revision } = (await test.context.templates.get('1.0')) ?? {}
      expect(test.instance('shop').revision).not.toBe(revision)
    })

    it('is refused with what is wrong, and nothing is made', async () => {
      const version = join(test.home, 'version-1.0.sh')
      const before = readFileSync(version, 'utf8')
      onTestFinished(() => writeFileSync(version, before))
      writeFileSync(version, before.replace(/APPS_JDK=.*/, 'APPS_JDK=/usr/share'))
      await expect(test.perform('add', { name: 'wrong' })).rejects.toThrow('not a JDK')
      writeFileSync(version, before.replace(/APPS_JDK=.*\n/, ''))
      await expect(test.perform('add', { name: 'wrong' })).rejects.toThrow('name no JDK')
      expect(test.context.registry.find('wrong')).toBeUndefined()
    })
  })

const withoutDriver = missing ?? toolIsMissing('jdbc')

if (withoutDriver !== undefined) it('Java web applications with a database', ({ skip }) => skip(withoutDriver))
else
  needs('postgresql', (url) => {
    it('a Java web application has its database by JNDI, which is dumped and restored by its own programs', async () => {
      const test = await managerOfWebapps(databaseConfig(url))
      onTestFinished(() => test.close())
      await test.perform('add', { name: 'shop', database: 'postgresql' })
      await note(test, 'shop', 'in the database')
      expect(existsSync(test.path('shop', 'data/notes.txt'))).toBe(false)
      const context = test.path('shop', 'tomcat/conf/context.xml')
      expect(statSync(context).mode & 0o777).toBe(0o600)
      const { databasePassword } = await test.context.settings.instance(test.path('shop'))
      expect(readFileSync(context, 'utf8')).not.toContain(databasePassword.reveal())
      await test.perform('save', { name: 'shop' })
      await note(test, 'shop', 'later')
      await test.perform('restore', { name: 'shop' })
      expect(await notesOf(test, 'shop')).toBe('in the database\n')
      await test.perform('clone', { name: 'shop', new: 'copy' })
      expect(await notesOf(test, 'copy')).toBe('in the database\n')
      await expect(test.perform('clone', { name: 'shop', new: 'other', database: 'sqlite' })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining('another type') as string,
      })
      const folder = await unpackDownload(test, { name: 'shop', type: 'all' })
      expect(readFileSync(join(folder, 'database.postgresql.sql'), 'utf8')).toContain('in the database')
      expect(readdirSync(join(folder, 'lib')).join()).toMatch(/^postgresql.*\.jar$/)
      const { stdout } = await execa('grep', ['-rlF', databasePassword.reveal(), folder], { reject: false })
      expect(stdout).toBe('')
    })
  })
