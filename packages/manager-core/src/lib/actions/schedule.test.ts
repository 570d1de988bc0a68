import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { jobsAt } from '../schedule/jobs.js'
import { installUnits, removeUnits } from '../schedule/systemd.js'
import { unitsOf } from '../schedule/systemd-units.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let folder: string
let table: string
let test: TestManager

/** A `crontab` that keeps its table in a file, says what the real ones say, and fails on request. */
const crontab = (at: string) => `#!/bin/sh
echo "$*" >> ${at}/calls
[ -e ${at}/broken ] && { echo "crontab: you may not" >&2; exit 1; }
[ "$1" = -u ] && shift 2
case "$1" in
  -l) [ -e ${at}/table ] || { echo "no crontab for tester" >&2; exit 1; }; cat ${at}/table ;;
  -) cat > ${at}/table.new; mv ${at}/table.new ${at}/table ;;
esac
`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-schedule-'))
  table = join(folder, 'table')
  writeFileSync(join(folder, 'crontab'), crontab(folder), { mode: 0o755 })
  test = await createTestManager({
    refresh: false,
    environment: { PATH: `${folder}:/usr/bin:/bin`, XDG_CONFIG_HOME: join(folder, 'config') },
    command: [process.execPath, '/opt/manager/cli.js'],
    config: ['APPS_PASSWORD=s3cret-one', 'APPS_MYSQL_ADMINPASSWORD=s3cret-two'],
  })
})
afterAll(async () => {
  await test.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  for (const name of ['table', 'broken', 'calls']) rmSync(join(folder, name), { force: true })
})

const schedule = (what: string, options: Record<string, string | boolean> = {}, dryRun = false) =>
  test.perform('schedule', { what, ...options }, { dryRun })

describe('schedule by cron', () => {
  it('installs, shows and removes, and leaves the lines of others as they were', async () => {
    const others = Buffer.from('# mine \xe9\xff\nMAILTO=me\n0 5 * * * x % y\n', 'latin1')
    writeFileSync(table, others)
    const installed = await schedule('install')
    expect(installed.message).toMatch(
      /^Scheduled in the crontab of \S+:\n {2}02:30 {2}refresh\n {2}03:00 {2}upgradeall\n/,
    )
    const after = readFileSync(table)
    expect(after.subarray(0, others.length)).toEqual(others)
    expect(after.toString('latin1')).not.toContain('s3cret')

    expect((await schedule('install')).message).toMatch(/^Nothing was changed/)
    expect(readFileSync(table)).toEqual(after)
    expect((await schedule('show')).list).toEqual([
      { name: 'refresh', time: '02:30', by: 'cron' },
      { name: 'upgradeall', time: '03:00', by: 'cron' },
      { name: 'saveall', time: '04:00', by: 'cron' },
      { name: 'checksaves', time: '08:00', by: 'cron' },
      { name: 'startall', time: 'boot', by: 'cron' },
    ])
    await schedule('install', { saveall: '22:15', startall: 'off' })
    expect((await schedule('show')).message).toContain('22:15  saveall')
    expect((await schedule('show')).message).not.toContain('startall')

    expect((await schedule('remove')).message).toContain('is removed')
    expect(readFileSync(table)).toEqual(others)
    expect((await schedule('remove')).message).toContain('was scheduled')
    expect((await schedule('show')).message).toContain('schedule install')
  })

  it('keeps times when it is installed again', async () => {
    await schedule('install', { saveall: '22:15', refresh: 'off', qualityall: '05:00' })
    const before = readFileSync(table)
    expect((await schedule('install')).message).toMatch(/^Nothing was changed/)
    expect(readFileSync(table)).toEqual(before)
    await schedule('install', { refresh: '02:00' })
    expect((await schedule('show')).list).toMatchObject([
      { name: 'refresh', time: '02:00' },
      { name: 'upgradeall', time: '03:00' },
      { name: 'saveall', time: '22:15' },
      { name: 'checksaves' },
      { name: 'qualityall', time: '05:00' },
      { name: 'startall', time: 'boot' },
    ])
  })

  it('doctor and status report lines whose program has gone, and the advice heals them', async () => {
    await schedule('install', { saveall: '22:15' })
    const program = join(folder, "node's", 'bin', 'node')
    // As another Node installed it that was removed since.
    const broken = readFileSync(table, 'utf8').replaceAll(
      ` ${process.execPath} `,
      ` '${program.replace("'", String.raw`'\''`)}' `,
    )
    writeFileSync(table, broken.replaceAll('/opt/manager/cli.js', process.execPath))
    const message = `Nothing that is scheduled can run (refresh, upgradeall, saveall, checksaves, startall): ${program} no longer exists.`
    const found = async () =>
      ((await test.perform('doctor', { category: 'system' })).list ?? []).filter(
        (one) => (one as { check: string }).check === 'schedule-program',
      )
    expect(await found()).toMatchObject([
      { level: 'error', message, help: expect.stringMatching(/: manager schedule install$/) },
    ])
    expect((await test.perform('status')).item).toMatchObject({ problems: [message] })
    // The manager of this test is not there either.
    await schedule('install')
    writeFileSync(table, readFileSync(table, 'utf8').replaceAll('/opt/manager/cli.js', process.execPath))
    expect(await found()).toMatchObject([{ level: 'ok' }])
    expect(readFileSync(table, 'utf8')).toContain('15 22 * * * ')
  })

  it('starts a table where there is none', async () => {
    await schedule('install', { refresh: 'off' })
    expect(readFileSync(table, 'utf8')).toMatch(/^# BEGIN steward manager /)
  })

  it('only reports with a dry run', async () => {
    const planned = await schedule('install', {}, true)
    expect(planned.message).toContain('@reboot ')
    expect(planned.data?.['crontab']).toContain('saveall --home')
    expect(existsSync(table)).toBe(false)
    await schedule('install')
    const before = readFileSync(table)
    expect((await schedule('remove', {}, true)).message).toContain('would be removed')
    expect(readFileSync(table)).toEqual(before)
  })

  it('writes nothing when the table cannot be read', async () => {
    writeFileSync(table, '0 5 * * * x\n')
    writeFileSync(join(folder, 'broken'), '')
    for (const what of ['install', 'remove', 'show'])
      await expect(schedule(what)).rejects.toThrow('The crontab cannot be read: crontab: you may not.')
    expect(readFileSync(table, 'utf8')).toBe('0 5 * * * x\n')
  })

  it('says what to do where there is no cron', async () => {
    const empty = await createTestManager({ refresh: false, environment: { PATH: join(folder, 'nothing') } })
    try {
      await expect(empty.perform('schedule', { what: 'install' })).rejects.toMatchObject({
        message: 'The program crontab is not installed.',
        help: expect.stringContaining('--systemd') as string,
      })
      expect((await empty.perform('schedule', { what: 'show' })).list).toEqual([])
      expect((await empty.perform('schedule', { what: 'remove' })).message).toContain('was scheduled')
    } finally {
      await empty.close()
    }
  })

  it('warns of a time outside of APPS_WINDOW', async () => {
    const config = join(test.home, 'config.sh')
    const before = readFileSync(config)
    writeFileSync(config, `${before.toString()}APPS_WINDOW=22:00-03:30\n`)
    expect((await schedule('install')).warnings).toEqual([
      'saveall at 04:00 is outside APPS_WINDOW (22:00-03:30), so it would do nothing.',
    ])
    writeFileSync(config, before)
    expect((await schedule('install')).warnings).toEqual([])
  })

  it('refuses other times and words', async () => {
    await expect(schedule('install', { saveall: '4' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
    await expect(schedule('start')).rejects.toMatchObject({ code: 'ERR_USAGE' })
    const off = { refresh: 'off', upgradeall: 'off', saveall: 'off', checksaves: 'off', startall: 'off' }
    await expect(schedule('install', off)).rejects.toMatchObject({ code: 'ERR_USAGE' })
    expect(existsSync(table)).toBe(false)
  })
})

describe('schedule by systemd', () => {
  const units = () => join(folder, 'units')

  it('writes unit files that systemd accepts, shows and removes them', async ({ skip }) => {
    await schedule('install', { folder: units() })
    const names = readdirSync(units()).map((name) => name.replace(/^steward-[0-9a-f]{8}-/, ''))
    expect(names).toEqual([
      ...[
        'checksaves.service',
        'checksaves.timer',
        'refresh.service',
        'refresh.timer',
        'saveall.service',
        'saveall.timer',
      ],
      ...['startall.service', 'upgradeall.service', 'upgradeall.timer'],
    ])
    const texts = readdirSync(units()).map((name) => readFileSync(join(units(), name), 'utf8'))
    expect(texts.join('')).not.toContain('s3cret')
    expect(texts.filter((text) => text.includes('[Service]') && !text.includes('\nKillMode=process\n'))).toEqual([])
    expect((await schedule('show', { folder: units() })).list).toContainEqual({
      name: 'saveall',
      time: '04:00',
      by: 'systemd',
    })
    expect((await schedule('install', { folder: units() })).message).toMatch(/^Nothing was changed/)

    writeFileSync(join(units(), 'other.service'), '')
    await schedule('install', { folder: units(), saveall: 'off' })
    expect((await schedule('show', { folder: units() })).list).toHaveLength(4)
    const files = readdirSync(units()).filter((name) => name.startsWith('steward-'))
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...files.map((name) => join(units(), name))], {
      encoding: 'utf8',
    })
    await schedule('remove', { folder: units() })
    expect(readdirSync(units())).toEqual(['other.service'])
    skip(verified.error !== undefined, 'systemd-analyze is not installed')
    expect(verified.stderr.split('\n').filter((line) => line.includes('steward-'))).toEqual([])
  })

  it('makes systemd start and stop units', async () => {
    const calls = join(folder, 'systemctl-calls')
    writeFileSync(
      join(folder, 'systemctl'),
      `#!/bin/sh\necho "$*" >> ${calls}\n[ "$3" != --now ] || [ ! -e ${folder}/broken ]\n`,
      { mode: 0o755 },
    )
    const options = {
      folder: join(folder, 'own'),
      system: false,
      active: true,
      environment: { PATH: `${folder}:/usr/bin:/bin` },
    }
    const told = () => {
      const lines = readFileSync(calls, 'utf8')
        .replaceAll(/steward-[0-9a-f]{8}-/g, '')
        .trimEnd()
        .split('\n')
      rmSync(calls)
      return lines
    }
    const runner = { home: '/srv/apps', command: ['/opt/node', '/opt/cli.js'], log: '/log' }
    const units = (times: Parameters<typeof jobsAt>[0]) => unitsOf(jobsAt(times), runner, { system: false })
    await installUnits('/srv/apps', units({ refresh: 'off' }), options)
    expect(told()).toEqual([
      '--user daemon-reload',
      '--user enable --now upgradeall.timer',
      '--user enable --now saveall.timer',
      '--user enable --now checksaves.timer',
      '--user enable startall.service',
    ])
    await installUnits('/srv/apps', units({ refresh: 'off', saveall: 'off' }), options)
    expect(told().slice(0, 3)).toEqual([
      '--user disable --now saveall.timer',
      '--user disable saveall.service',
      '--user daemon-reload',
    ])
    expect(await removeUnits('/srv/apps', options)).toBe(true)
    expect(told()).toContain('--user disable --now upgradeall.timer')
    expect(readdirSync(options.folder)).toEqual([])
    writeFileSync(join(folder, 'broken'), '')
    await expect(installUnits('/srv/apps', units({}), options)).rejects.toThrow('systemctl --user enable --now')
  })

  it('lists the files with a dry run', async () => {
    const { message, data } = await schedule('install', { systemd: true, saveall: '22:15' }, true)
    expect(message).toContain('OnCalendar=*-*-* 22:15:00')
    expect(message).toContain('[Install]\nWantedBy=')
    expect(data?.['units']).toHaveLength(9)
  })
})
