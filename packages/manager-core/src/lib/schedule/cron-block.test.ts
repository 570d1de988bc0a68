import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { cronBlock, jobsIn, withBlock } from './cron-block.js'
import { jobsAt } from './jobs.js'

const runner = (home: string) => ({
  home,
  command: ['/opt/node/bin/node', '/opt/cli.js'],
  log: `${home}/logs/schedule.log`,
})
const jobs = jobsAt({})
const block = (home: string) => cronBlock(jobs, runner(home))

it('has a line per job, without anything that only this caller has', () => {
  expect(block('/srv/apps').split('\n')).toEqual([
    '# BEGIN steward manager /srv/apps',
    ...[
      '30 2 * * * PATH=@ STEWARD_SURFACE=schedule /opt/node/bin/node /opt/cli.js refresh --home /srv/apps --wait=3600 >>/srv/apps/logs/schedule.log 2>&1',
      '0 3 * * * PATH=@ STEWARD_SURFACE=schedule /opt/node/bin/node /opt/cli.js upgradeall --home /srv/apps --wait=3600 >>/srv/apps/logs/schedule.log 2>&1',
      '0 4 * * * PATH=@ STEWARD_SURFACE=schedule /opt/node/bin/node /opt/cli.js saveall --home /srv/apps --wait=3600 >>/srv/apps/logs/schedule.log 2>&1',
      '0 8 * * * PATH=@ STEWARD_SURFACE=schedule /opt/node/bin/node /opt/cli.js checksaves --home /srv/apps --wait=3600 >>/srv/apps/logs/schedule.log 2>&1',
      '@reboot PATH=@ STEWARD_SURFACE=schedule /opt/node/bin/node /opt/cli.js startall --home /srv/apps --wait=3600 >>/srv/apps/logs/schedule.log 2>&1',
    ].map((line) => line.replace('@ ', '/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ')),
    '# END steward manager /srv/apps',
    '',
  ])
})

it('keeps what is scheduled where nothing else is said', () => {
  const scheduled = jobsAt({ saveall: '22:15', refresh: 'off', qualityall: '05:00' })
  expect(jobsAt({}, scheduled)).toEqual(scheduled)
  expect(jobsAt({ refresh: '01:00', qualityall: 'off' }, scheduled)).toEqual(
    jobsAt({ saveall: '22:15', refresh: '01:00' }),
  )
})

it('takes times of its own, and refuses others', () => {
  expect(jobsAt({ refresh: 'off', upgradeall: '23:59', checksaves: 'off', startall: 'off' })).toEqual([
    { name: 'upgradeall', time: '23:59' },
    { name: 'saveall', time: '04:00' },
  ])
  for (const time of ['24:00', '3:00', '03:60', '* *', '03:00; rm', '03:00\n* * * * * x', 'never'])
    expect(() => jobsAt({ saveall: time })).toThrow('is not a valid time for saveall')
})

/** Homes with all that shells, cron and patterns find special, but control characters. */
const home = fc
  .array(fc.constantFrom('a', 'B', ' ', "'", '"', '%', '$', '\\', '`', '#', '*', '.', '(', 'ä', '-'), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => `/srv/${parts.join('')}`)
const foreign = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '# a comment',
        'MAILTO=x',
        '0 5 * * * x',
        '',
        '\t',
        '\xff\xfe',
        '# BEGIN steward manager /other\r',
      ),
      fc.string(),
    ),
  )
  .map((lines) => lines.map((line) => `${line.replaceAll('\n', '')}\n`).join(''))

it('keeps the lines of others byte for byte, and finds its own again', () => {
  fc.assert(
    fc.property(foreign, foreign, home, home, (before, after, mine, other) => {
      fc.pre(mine !== other)
      const installed = withBlock(before, block(mine), mine) + after
      expect(installed).toBe(before + block(mine) + after)
      expect(withBlock(installed, block(mine), mine)).toBe(installed)
      const { command } = runner(mine)
      expect(jobsIn(installed, mine)).toEqual(jobs.map((job) => ({ ...job, program: command })))
      expect(jobsIn(installed, other)).toEqual([])
      const both = withBlock(installed, block(other), other)
      expect(withBlock(both, '', other)).toBe(installed)
      expect(withBlock(both, '', mine)).toBe(before + after + block(other))
      const later = cronBlock(jobsAt({ saveall: '05:07' }), runner(mine))
      const changed = withBlock(both, later, mine)
      expect(changed).toBe(before + later + after + block(other))
      expect(jobsIn(changed, mine)).toContainEqual({ name: 'saveall', time: '05:07', program: command })
    }),
    { numRuns: 300 },
  )
})

it('adds the line end that the last line lacks', () => {
  expect(withBlock('0 5 * * * x', block('/a'), '/a')).toBe(`0 5 * * * x\n${block('/a')}`)
  expect(withBlock('', block('/a'), '/a')).toBe(block('/a'))
  expect(withBlock('x', '', '/a')).toBe('x')
})

it('does not guess when a mark is missing', () => {
  const broken = block('/a').replace('# END steward manager /a\n', '0 5 * * * mine\n')
  expect(() => withBlock(broken, block('/a'), '/a')).toThrow('unpaired marks of /a')
  expect(() => withBlock(block('/a') + block('/a'), '', '/a')).toThrow('unpaired marks')
})

it('is understood by a shell as it was meant, whatever the home is called', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-cron-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\nfor a do printf "%s|" "$a"; done\n', { mode: 0o755 })
  for (const strange of fc.sample(home, 30)) {
    const text = cronBlock([{ name: 'saveall', time: '04:00' }], {
      home: strange,
      command: [program, "a'b"],
      log: join(folder, "l %'og"),
    })
    expect(jobsIn(text, strange)).toEqual([{ name: 'saveall', time: '04:00', program: [program, "a'b"] }])
    const line = text.split('\n')[1] as string
    // What cron does with a line before the shell has it.
    expect(line.replaceAll('\\%', '')).not.toContain('%')
    spawnSync('/bin/sh', ['-c', line.split(' ').slice(5).join(' ').replaceAll('\\%', '%')])
    expect(readFileSync(join(folder, "l %'og"), 'utf8')).toBe(`a'b|saveall|--home|${strange}|--wait=3600|`)
    rmSync(join(folder, "l %'og"))
  }
})
