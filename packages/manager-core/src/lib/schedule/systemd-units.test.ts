import { expect, it } from 'vitest'
import { jobsAt } from './jobs.js'
import { commandIn, unitPrefix, unitsOf } from './systemd-units.js'

const runner = (home: string) => ({ home, command: ['/opt/node', '/opt/cli.js'], log: '/log' })

it('runs a job with its home, as the user of the home, and leaves alone what it started', () => {
  const units = unitsOf(jobsAt({}), runner('/srv/apps'), { system: true, user: 'apps', group: 'staff' })
  const text = (name: string) => units.find((unit) => unit.name.endsWith(name))?.text.split('\n') ?? []
  expect(text('saveall.service')).toEqual(
    expect.arrayContaining([
      'Type=oneshot',
      'ExecStart="/opt/node" "/opt/cli.js" "saveall" "--home" "/srv/apps" "--wait=3600"',
      'User=apps',
      'Group=staff',
      'KillMode=process',
    ]),
  )
  expect(text('saveall.service')).not.toContain('[Install]')
  expect(text('saveall.timer')).toEqual(
    expect.arrayContaining(['OnCalendar=*-*-* 04:00:00', 'Persistent=true', 'WantedBy=timers.target']),
  )
  expect(text('startall.service')).toContain('WantedBy=multi-user.target')
  expect(text('startall.timer')).toEqual([])
})

it('is for the session of a user without naming the user', () => {
  const units = unitsOf(jobsAt({}), runner('/home/me/apps'), { system: false, user: 'apps' })
  const all = units.map(({ text }) => text).join('')
  expect(all).not.toContain('User=')
  expect(all).toContain('WantedBy=default.target')
})

it('keeps what systemd would expand in the path of a home', () => {
  const [unit] = unitsOf(jobsAt({}), runner('/srv/50% "of" $HOME\\x'), { system: true })
  expect(unit?.text).toContain(String.raw`"--home" "/srv/50%% \"of\" $$HOME\\x"`)
  expect(unit?.text).toContain('Description=Instances manager /srv/50%% ')
})

it('finds what a unit runs again', () => {
  const command = ['/opt/a "b" $c %d\\\\e/node', '/opt/cli.js']
  const [unit] = unitsOf(jobsAt({}), { home: '/srv/x', command, log: '/log' }, { system: true })
  expect(commandIn(unit?.text ?? '')).toEqual([...command, 'refresh', '--home', '/srv/x', '--wait=3600'])
})

it('has names of its own for each home', () => {
  expect(unitPrefix('/srv/a')).not.toBe(unitPrefix('/srv/b'))
  expect(unitPrefix('/srv/a')).toMatch(/^steward-[0-9a-f]{8}-$/)
})
