import { createHash } from 'node:crypto'
import { argumentsOf, environmentOf, type Job, type JobRunner } from './jobs.js'

export interface UnitOptions {
  /** Units of the system, not of a user. */
  readonly system: boolean
  /** System user and group, of units of the system. */
  readonly user?: string | undefined
  readonly group?: string | undefined
}

/** A unit file. */
export interface Unit {
  /** `steward-1a2b3c4d-saveall.timer` */
  readonly name: string
  readonly text: string
  /** It is this one that is enabled. */
  readonly enabled: boolean
}

/** What instances and the server need, where it is on this machine. */
export const comeFirst = [
  'network-online.target',
  'postgresql.service',
  'mariadb.service',
  'mysql.service',
  'mssql-server.service',
  'oracle-free-23ai.service',
]

/** What names of units of a home begin with: several homes may be side by side. */
export function unitPrefix(home: string): string {
  return `steward-${createHash('sha256').update(home).digest('hex').slice(0, 8)}-`
}

/** A service per job, and a timer for those that have a time of day. */
export function unitsOf(jobs: readonly Job[], runner: JobRunner, options: UnitOptions): readonly Unit[] {
  return jobs.flatMap((job) => {
    const name = `${unitPrefix(runner.home)}${job.name}`
    const atBoot = job.time === 'boot'
    const service = { name: `${name}.service`, text: serviceText(job, runner, options), enabled: atBoot }
    return atBoot ? [service] : [service, { name: `${name}.timer`, text: timerText(job, runner), enabled: true }]
  })
}

/**
 * `KillMode=process`: instances that a job starts live on when it has ended. It is not made to stay active either, so
 * that the timer may start it again.
 */
function serviceText(job: Job, runner: JobRunner, { system, user, group }: UnitOptions): string {
  const environment = Object.entries(environmentOf(runner)).map(
    ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`,
  )
  const [program = '', ...args] = argumentsOf(job.name, runner)
  return unitText([
    '[Unit]',
    `Description=${descriptionOf(job, runner)}`,
    ...(system ? ['Wants=network-online.target', `After=${comeFirst.join(' ')}`] : []),
    '',
    '[Service]',
    'Type=oneshot',
    `ExecStart=${unitCommand([program, ...args])}`,
    ...environment,
    ...(system && user !== undefined ? [`User=${user}`] : []),
    ...(system && group !== undefined ? [`Group=${group}`] : []),
    'KillMode=process',
    'TimeoutStartSec=infinity',
    ...(job.time === 'boot' ? ['', '[Install]', `WantedBy=${system ? 'multi-user' : 'default'}.target`] : []),
  ])
}

/** What was due while the machine was off is made up for. */
function timerText(job: Job, runner: JobRunner): string {
  return unitText([
    '[Unit]',
    `Description=${descriptionOf(job, runner)}`,
    '',
    '[Timer]',
    `OnCalendar=*-*-* ${job.time}:00`,
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
  ])
}

export function unitText(lines: readonly string[]): string {
  return `${['# Written by the instances manager; changes are lost.', ...lines].join('\n')}\n`
}

function descriptionOf({ name }: Job, { home }: JobRunner): string {
  return `Instances manager ${home.replaceAll('%', '%%').replaceAll('\\', '/')}: ${name}`
}

/** As systemd reads words: percent signs are specifiers. */
export function unitWord(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')
  return `"${escaped.replaceAll('\n', '\\n')}"`
}

/** A command and its arguments: dollar signs are variables. */
export function unitCommand(words: readonly string[]): string {
  return words.map((word) => unitWord(word).replaceAll('$', '$$$$')).join(' ')
}

/** What a service that `unitsOf` wrote runs, word by word. */
export function commandIn(service: string): readonly string[] {
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(service) ?? []
  return [...line.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, word = '']) =>
    word.replace(/\\(.)|\$\$|%%/g, (all, escaped: string | undefined) => escaped ?? all.slice(1)),
  )
}
