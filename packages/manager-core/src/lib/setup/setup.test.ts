import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import { createManager } from '../manager.js'

/** Stands for `/`: a Debian with nginx and httpd. */
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-setup-'))
  put('/etc/debian_version', '12.0\n')
  put('/usr/sbin/nginx', '')
  put('/usr/sbin/apache2ctl', '')
  put('/usr/bin/systemctl', '')
  for (const name of ['proxy', 'proxy_http', 'ssl', 'rewrite']) put(`/etc/apache2/mods-available/${name}.load`, '')
  onTestFinished(() => rmSync(root, { recursive: true }))
})

function put(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

function setup(input: Readonly<Record<string, Input>> = {}, { dryRun = false, home = '/srv/apps' } = {}) {
  const manager = createManager({
    ...{ home, applicationServer: '/nowhere', defaultTemplate: '/nowhere' },
    command: [process.execPath, '/opt/steward/cli.js'],
  })
  const caller: Caller = { actor: 'ops', surface: 'cli', dryRun, grant: fullGrant }
  return manager.perform('setup', { root, ...input }, caller)
}

/** All files with their modes and texts. */
function files(): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  return Object.fromEntries(
    names.map((name) => {
      const stats = lstatSync(join(root, name))
      const text = stats.isSymbolicLink()
        ? readlinkSync(join(root, name))
        : stats.isFile()
          ? readFileSync(join(root, name), 'utf8')
          : ''
      return [name, `${(stats.mode & 0o777).toString(8)} ${text}`]
    }),
  )
}

/** As an account, which is more than as root. */
const public_ = { domain: 'apps.example.org', email: 'ops@example.org', user: 'apps' }

describe('setup --root', () => {
  it.for([
    ['nginx', { proxy: 'nginx' }],
    ['httpd', { proxy: 'httpd' }],
    ['cron', { supervisor: 'cron' }],
    ['root', { user: 'root' }],
    ['no reverse proxy', { proxy: 'none' }],
  ] as const)('with %s: writes files, changes nothing the second time, and takes all away again', async ([, more]) => {
    const before = files()
    await setup({ ...public_, ...more })
    const made = files()
    expect(Object.keys(made).length).toBeGreaterThan(Object.keys(before).length + 5)
    const again = await setup()
    expect([again.message, files()]).toEqual(['/srv/apps is already set up. Nothing was changed.', made])
    await setup({ remove: true, purge: '/srv/apps' })
    // The folders that hold homes are the machine's.
    rmSync(join(root, 'srv'), { recursive: true })
    expect(files()).toEqual(before)
  })

  it('of a dry run: prints each file that is written then, no password, and changes nothing', async () => {
    const before = files()
    const { message, item } = await setup(public_, { dryRun: true })
    expect(files()).toEqual(before)
    await setup(public_)
    const { files: planned } = item as { files: { path: string; text: string }[] }
    for (const { path, text } of planned) {
      expect(message).toContain(text)
      expect(readFileSync(join(root, path), 'utf8')).toBe(text)
    }
    expect(planned.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/etc/systemd/system/steward.service',
        '/etc/systemd/system/steward.socket',
        '/etc/nginx/conf.d/steward.conf',
        '/etc/sudoers.d/steward',
        '/etc/logrotate.d/steward',
      ]),
    )
    const [, password = ''] = /^export APPS_PASSWORD=(.+)$/m.exec(textOf('/srv/apps/config.sh')) ?? []
    expect(password).toMatch(/^\S{12,}$/)
    expect(message).toContain('export APPS_PASSWORD=…\n')
    expect(statSync(join(root, '/srv/apps/config.sh')).mode & 0o777).toBe(0o600)
  })

  it('keeps what was changed by hand, and puts beside it what is new', async () => {
    await setup(public_)
    const unit = '/etc/systemd/system/steward.service'
    appendFileSync(join(root, unit), '# mine\n')
    const mine = textOf(unit)
    const same = await setup()
    expect([same.message, same.warnings]).toEqual([
      expect.stringContaining('Nothing was changed'),
      [`${unit} was changed manually, and was left alone.`],
    ])
    // Another account: what is the manager's is brought up to date.
    const other = await setup({ user: 'ops' })
    expect(other.warnings).toEqual([expect.stringContaining(`The new contents are in ${unit}.dpkg-dist.`)])
    expect(textOf(unit)).toBe(mine)
    expect(textOf(`${unit}.dpkg-dist`)).toContain('User=ops\n')
    expect(textOf('/etc/sudoers.d/steward')).toContain('ops ALL=(root)')
    const removed = await setup({ remove: true })
    expect(removed.message).toContain(`${unit} was changed manually, and is kept as ${join(root, unit)}.dpkg-old.`)
    expect(textOf(`${unit}.dpkg-old`)).toBe(mine)
  })

  it('has systemd listen where APPS_LISTEN says it', async () => {
    const unit = '/etc/systemd/system/steward.socket'
    await setup(public_)
    expect(textOf(unit)).toContain('\nListenStream=127.0.0.1:8000\n')
    expect(textOf('/etc/systemd/system/steward.service')).toContain('\nWants=steward.socket\n')
    const config = join(root, '/srv/apps/config.sh')
    writeFileSync(config, textOf('/srv/apps/config.sh').replace('127.0.0.1:8000', '"[::]:8100"'))
    await setup()
    expect(textOf(unit)).toContain('\nListenStream=[::]:8100\n')
  })

  it('removes what is not needed any more', async () => {
    await setup(public_)
    const { message } = await setup({ proxy: 'none' })
    expect(message).toContain('/etc/sudoers.d/steward, which is no longer needed')
    expect(existsSync(join(root, '/etc/sudoers.d/steward'))).toBe(false)
    expect(existsSync(join(root, '/etc/nginx/conf.d/steward.conf'))).toBe(false)
    expect(textOf('/etc/systemd/system/steward.service')).toContain('NoNewPrivileges=yes')
  })

  it('removes the home when it is named, and never otherwise', async () => {
    await setup(public_)
    put('/srv/apps/instances/x/data', 'rows')
    await expect(setup({ remove: true, purge: '/srv' })).rejects.toThrow('"/srv" is not the home of this manager.')
    const { message } = await setup({ remove: true })
    expect(message).toContain('/srv/apps and its instances were not changed')
    expect(textOf('/srv/apps/instances/x/data')).toBe('rows')
    await setup({ remove: true, purge: '/srv/apps' })
    expect(existsSync(join(root, '/srv/apps'))).toBe(false)
    await expect(setup({ remove: true })).rejects.toThrow('setup has no record of a service "steward" here.')
  })

  it.for([
    ['no host', { domain: 'a b' }, '"a b" is not the name of a host'],
    ['certificates without an address', { domain: 'apps.example.org' }, 'Set it with --email'],
    ['a certificate without its key', { ...public_, certificate: '/etc/ssl/a.pem' }, 'A certificate needs its key'],
    ['a reverse proxy without a host', { proxy: 'nginx' }, 'Publishing through nginx requires a host'],
    ['an account that cannot be', { user: 'a b' }, '"a b" cannot be the name of an account'],
    ['a low port', { port: 80 }, 'Only root can use port 80'],
    ['a service that is no name', { service: 'a.b' }, '"a.b" cannot be the name of a service'],
    ['a home that would be read as something else', { home: '/srv/a b' }, '"/srv/a b" cannot be the home'],
    ['a home with other files', { home: '/etc' }, 'contains other files'],
    ['another file in its place', { service: 'taken' }, '/etc/logrotate.d/taken already exists'],
    ['the service of another manager', { home: '/srv/others' }, 'The service "steward" belongs to another manager'],
    ['another service of this manager', { service: 'others' }, '/srv/apps already has a service: "steward"'],
  ] as const)('refuses %s before anything is changed', async ([what, input, message]) => {
    put('/etc/logrotate.d/taken', 'mine')
    if (what.includes('another') && what.includes('manager')) await setup(public_)
    const before = files()
    const { home, ...more } = { home: '/srv/apps', ...(input as Record<string, Input>) }
    const failure = await setup(more, { home }).catch((error: Error & { help?: string }) => error)
    expect(`${(failure as Error).message} ${(failure as { help?: string }).help ?? ''}`).toContain(message)
    expect(files()).toEqual(before)
  })

  it('refuses a machine that it does not know, and a reverse proxy that is not installed', async () => {
    rmSync(join(root, '/usr/sbin/nginx'))
    await expect(setup({ ...public_, proxy: 'nginx' })).rejects.toThrow('nginx is not installed')
    rmSync(join(root, '/etc/debian_version'))
    await expect(setup(public_)).rejects.toThrow('only supports Debian and Ubuntu')
  })
})

describe('setup on this machine', () => {
  const here = (input: Readonly<Record<string, Input>>) =>
    setup({ root: undefined, service: 'steward-test-of-setup', ...input }, { dryRun: true, home: join(root, 'home') })

  it('refuses a port that another program listens on', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    await expect(here({ port })).rejects.toThrow(`Port ${port} is used by another program.`)
  })

  it.skipIf(process.getuid?.() !== 0)('names the folder that the account cannot enter', async () => {
    // What setup would have written to a machine is refused for the program of this test, which is nowhere.
    const closed = join(root, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const manager = createManager({
      ...{ home: join(root, 'home'), applicationServer: '/nowhere', defaultTemplate: '/nowhere' },
      command: [process.execPath, join(closed, 'cli.js')],
    })
    writeFileSync(join(closed, 'cli.js'), '')
    const input = { service: 'steward-test-of-setup', user: 'nobody', port: 1234 }
    await expect(
      manager.perform('setup', input, { actor: 'ops', surface: 'cli', grant: fullGrant, dryRun: true }),
    ).rejects.toThrow(/nobody cannot run the manager: \/\S* is closed to it\./)
  })
})

describe('the script that reloads the reverse proxy', () => {
  it.for([
    ['nginx', ['-V'], true],
    ['nginx', ['-c', '/etc/nginx/nginx.conf', '-s', 'reload'], true],
    ['nginx', ['-t', '-q', '-c', '/srv/apps/proxy/generations/check-1/nginx.conf'], true],
    ['nginx', ['-t', '-q', '-c', '/srv/apps/proxy/generations/check-1/../../../x/nginx.conf'], false],
    ['nginx', ['-t', '-q', '-c', '/tmp/nginx.conf'], false],
    ['nginx', ['-t', '-q', '-c', '/srv/apps/proxy/generations/check-1/nginx.conf', '-g', 'x'], false],
    ['nginx', ['-c', '/etc/nginx/nginx.conf', '-s', 'stop'], false],
    ['nginx', [], false],
    ['httpd', ['-f', '/etc/apache2/apache2.conf', '-k', 'graceful'], true],
    [
      'httpd',
      [
        ...['-t', '-D', 'DUMP_INCLUDES', '-d', '/srv/apps/proxy/generations/check-1', '-f'],
        '/srv/apps/proxy/generations/check-1/apache2.conf',
      ],
      true,
    ],
    ['httpd', ['-t', '-D', 'DUMP_INCLUDES', '-d', '/tmp', '-f', '/tmp/apache2.conf'], false],
    ['httpd', ['-f', '/etc/apache2/apache2.conf', '-k', 'stop'], false],
  ] as const)('of %s takes %j: %s', async ([proxy, args, allowed]) => {
    await setup({ ...public_, proxy })
    const script = textOf('/usr/local/lib/steward/steward-proxy')
      .replace(/^\[ "\$\(id -u\)".*$/m, '')
      .replace(/^exec \/usr\/sbin\/\w+/m, 'echo called')
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', ...args], { encoding: 'utf8' })
    if (allowed) expect([status, stdout]).toEqual([0, `called ${args.join(' ')}\n`])
    else expect([status, stderr]).toEqual([64, `Not allowed: ${args.join(' ')}\n`])
  })
})

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
