import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ActionResult, Option } from '../action.js'
import { recordHistory } from '../history/record-history.js'
import { cronBlock } from '../schedule/cron-block.js'
import { cronJobs, installCron, removeCron } from '../schedule/crontab.js'
import { defaultTimes, jobNames, jobsAt, jobsInWindow, type Job, type JobRunner } from '../schedule/jobs.js'
import { hasSystemd, installUnits, removeUnits, unitFolder, unitJobs } from '../schedule/systemd.js'
import { unitsOf } from '../schedule/systemd-units.js'
import { isInWindow } from '../schedule/window.js'
import type { GlobalSettings } from '../settings/settings.js'
import { defineAction, type CallOf } from './define-action.js'

const options = [
  ...jobNames.map(
    (name) =>
      ({
        name,
        type: 'text',
        summary: `Time of ${name}: HH:MM, "boot" or "off" (default: unchanged, at first ${defaultTimes[name]})`,
      }) as const,
  ),
  { name: 'systemd', type: 'flag', summary: "Use systemd timers: the system's for root, else the user's" },
  { name: 'folder', type: 'file', summary: 'Only write the unit files to this folder, without activating them' },
] as const satisfies readonly Option[]

/** What all parts of the schedule need of a call. */
type ScheduleCall = CallOf<(typeof options)[number]>

/** Where jobs are looked for. */
interface SchedulePlace extends Pick<ScheduleCall, 'context'> {
  readonly input: Pick<ScheduleCall['input'], 'systemd' | 'folder'>
}

export const scheduleAction = defineAction({
  name: 'schedule',
  group: 'Manager',
  summary: 'Schedule refresh, upgradeall and saveall nightly, checksaves in the morning, and startall after a reboot',
  description:
    "Writes to a marked section of the user's crontab (that of APPS_USER if root runs it), or creates systemd " +
    'timers. Other lines of the crontab do not change, and several homes can be scheduled. Times are local. ' +
    'Failures are mailed to APPS_EMAIL if APPS_MAILSERVER is set.',
  parameters: [
    {
      name: 'what',
      type: 'choice',
      choices: ['install', 'show', 'remove'],
      required: true,
      summary: 'Action on the schedule of this home',
    },
  ],
  options,
  ability: 'admin',
  mutating: true,
  // The crontab of APPS_USER, and units of the system, are root's.
  asCaller: true,
  surfaces: ['cli'],
  examples: [
    'schedule install',
    'schedule install --saveall 22:15 --upgradeall off',
    'schedule install --systemd',
    'schedule install --dry-run',
    'schedule show',
    'schedule remove',
  ],
  view: { type: 'text' },
  async handler(call) {
    // Two forms at once would do everything twice, so that whatever is installed the other is removed.
    const { context, caller } = call
    const { what, ...rest } = call.input
    if (what === 'show') return show(call)
    const change = what === 'install' ? install : remove
    if (caller.dryRun) return change(call)
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== false))
    const entry = { action: `schedule ${what}`, parameters: given }
    return recordHistory(context, caller, entry, () => change(call))
  },
})

async function install(call: ScheduleCall): Promise<ActionResult> {
  const { context, input, caller } = call
  const runner = runnerOf(call)
  const jobs = jobsAt(input, await scheduledNow(call))
  if (jobs.length === 0)
    throw new ManagerError('ERR_USAGE', 'All jobs are disabled, so there is nothing to schedule.', {
      command: 'schedule remove',
    })
  const list = jobs.map(({ name, time }) => ({ name, time }))
  const outside = jobsOutside(jobs, context.settings.global)
  if (isForSystemd(call)) {
    const options = systemdOptions(call)
    const { systemUser: user, systemGroup: group } = context.settings.global
    const units = unitsOf(jobs, runner, { system: options.system, user, group })
    if (caller.dryRun) {
      const files = units.map(({ name, text }) => `# ${join(options.folder, name)}\n${text}`)
      return { message: files.join('\n'), list, data: { units: units.map(({ name, text }) => ({ name, text })) } }
    }
    if (!options.active && input.folder === undefined)
      throw new ManagerError('ERR_STATE', 'This machine does not run systemd.', {
        help: 'Leave out --systemd to use the crontab, or write the unit files for another machine with --folder.',
      })
    const changed = await installUnits(runner.home, units, options)
    const twice = options.active && (await removeCron(runner.home, cronOptions(call)).catch(() => false))
    const warnings = [...outside, ...(options.active && !options.system ? [lingering] : [])]
    const moved = twice ? ' The jobs were removed from the crontab.' : ''
    return { message: `${told(jobs, `units in ${options.folder}`, changed)}${moved}`, list, warnings }
  }
  const block = cronBlock(jobs, runner)
  if (caller.dryRun) return { message: block.trimEnd(), list, data: { crontab: block } }
  // Its output goes there.
  await mkdir(context.home.logs, { recursive: true, mode: 0o700 })
  const changed = await installCron(jobs, runner, cronOptions(call))
  const options = systemdOptions(call)
  const twice = options.active && (await removeUnits(runner.home, options))
  const moved = twice ? ' The systemd timers were removed.' : ''
  return {
    message: `${told(jobs, `the crontab of ${userOf(call) ?? userInfo().username}`, changed)}${moved}`,
    list,
    warnings: outside,
  }
}

/** What this home has where it is to be scheduled, or else where it is moved from. */
async function scheduledNow(call: ScheduleCall): Promise<readonly Job[]> {
  const { home } = call.context
  const units = await unitJobs(home.folder, systemdOptions(call).folder)
  // Unit files of another machine, or a machine without cron.
  const cron = call.input.folder === undefined ? await cronJobs(home.folder, cronOptions(call)) : []
  const [first, second] = isForSystemd(call) ? [units, cron] : [cron, units]
  return first.length > 0 ? first : second
}

/** A scheduled job, as `schedules` answers it. */
export type ScheduledJob = {
  readonly name: string
  /** `02:30`, or `boot`. */
  readonly time: string
  readonly by: 'cron' | 'systemd'
}

export const schedulesAction = defineAction({
  name: 'schedules',
  group: 'Manager',
  summary: 'List what is scheduled for this home',
  ability: 'read',
  mutating: false,
  surfaces: ['api'],
  examples: ['schedules'],
  view: { type: 'table', columns: ['name', 'time', 'by'], empty: '' },
  handler: ({ context }) => show({ context, input: { systemd: false, folder: undefined } }),
})

async function show(call: SchedulePlace): Promise<ActionResult> {
  const { home } = call.context
  const [cron, units] = await Promise.all([
    isForSystemd(call) ? [] : cronJobs(home.folder, cronOptions(call)),
    unitJobs(home.folder, systemdOptions(call).folder),
  ])
  const list: readonly ScheduledJob[] = [
    ...cron.map(({ name, time }) => ({ name, time, by: 'cron' as const })),
    ...units.map(({ name, time }) => ({ name, time, by: 'systemd' as const })),
  ]
  if (list.length === 0)
    return { message: `Nothing is scheduled for ${home.folder}. To schedule it, run: manager schedule install`, list }
  const lines = list.map(({ name, time, by }) => `  ${time.padEnd(5)}  ${name.padEnd(10)}  ${by}`)
  return { message: [`Scheduled for ${home.folder}:`, ...lines].join('\n'), list }
}

async function remove(call: ScheduleCall): Promise<ActionResult> {
  const { home } = call.context
  if (call.caller.dryRun) {
    const { list = [], message } = await show(call)
    return list.length === 0 ? { message, list } : { message: `${message}\nThis would be removed.`, list }
  }
  const options = systemdOptions(call)
  const units = await removeUnits(home.folder, options)
  const cron = call.input.folder === undefined && (await removeCronIfAny(call))
  const message =
    units || cron ? `The schedule of ${home.folder} is removed.` : `Nothing was scheduled for ${home.folder}.`
  return { message }
}

/** Where there is no cron, nothing is in its table. */
async function removeCronIfAny(call: ScheduleCall): Promise<boolean> {
  try {
    return await removeCron(call.context.home.folder, cronOptions(call))
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_NOT_FOUND') return false
    throw error
  }
}

const lingering =
  'User timers only run while the user is logged in. To run them and the instances they start always, use ' +
  '"loginctl enable-linger".'

function told(jobs: readonly Job[], where: string, changed: boolean): string {
  const lines = jobs.map(({ name, time }) => `  ${time.padEnd(5)}  ${name}`)
  return [`${changed ? 'Scheduled in' : 'Nothing was changed: this is scheduled in'} ${where}:`, ...lines].join('\n')
}

/** What APPS_WINDOW would keep from doing anything, night after night. */
function jobsOutside(jobs: readonly Job[], { window }: Pick<GlobalSettings, 'window'>): readonly string[] {
  return jobs
    .filter(({ name, time }) => jobsInWindow.has(name) && /^\d/.test(time))
    .filter(({ time }) => !isInWindow(new Date(`2000-01-01T${time}`), window))
    .map(
      ({ name, time }) =>
        `${name} at ${time} is outside APPS_WINDOW (${window?.from}-${window?.to}), so it would do nothing.`,
    )
}

/** @throws ManagerError when the home cannot be written into a line. */
function runnerOf({ context: { home, command } }: ScheduleCall): JobRunner {
  const texts = [home.folder, ...command]
  if (texts.some((text) => /[\p{Cc}]/u.test(text)))
    throw new ManagerError('ERR_USAGE', 'A home or program with control characters in its path cannot be scheduled.')
  return { home: home.folder, command, log: join(home.logs, 'schedule.log') }
}

function isForSystemd({ input }: Pick<SchedulePlace, 'input'>): boolean {
  return input.systemd || input.folder !== undefined
}

function systemdOptions({ context, input }: SchedulePlace) {
  const environment = context.settings.environment()
  const system = process.getuid?.() === 0
  const folder = input.folder === undefined ? unitFolder(system, environment) : resolve(input.folder)
  return { folder, system, active: input.folder === undefined && hasSystemd(), environment }
}

function cronOptions(call: Pick<ScheduleCall, 'context'>) {
  return { user: userOf(call), environment: call.context.settings.environment() }
}

/** Root schedules for the user that the home belongs to. */
function userOf({ context }: Pick<ScheduleCall, 'context'>): string | undefined {
  const { systemUser } = context.settings.global
  return process.getuid?.() === 0 && systemUser !== 'root' ? systemUser : undefined
}
