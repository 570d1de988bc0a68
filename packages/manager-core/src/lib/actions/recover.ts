import { ManagerError } from '../../errors.js'
import type { Caller } from '../domain/caller.js'
import { countText } from '../domain/readable.js'
import { recordHistory } from '../history/record-history.js'
import type { ManagerManifest } from '../recovery/manager-copy.js'
import { recoverServer } from '../recovery/recover.js'
import { recovered, type Recovered } from '../recovery/recovered.js'
import { jobNames } from '../schedule/jobs.js'
import { defineAction, performRow, type CallPlace } from './define-action.js'
import { scheduleAction } from './schedule.js'

export const recoverAction = defineAction({
  name: 'recover',
  group: 'Manager',
  summary: 'Recover a lost server on another machine, from a backup target',
  description:
    'Run it in a new home whose config.sh names the target, and the key if backups are encrypted. It restores ' +
    'settings, versions with their templates, hooks, history, tokens, requests and the schedule, and each ' +
    'instance from its latest good backup, with its flags, owner, address and port. Existing settings and ' +
    'instances are never overwritten, so you can repeat it, for instance after an interruption. What could not ' +
    'be recovered is listed, and the exit code is 1.',
  options: [
    { name: 'from', type: 'text', nonEmpty: true, summary: 'Name of the target' },
    {
      name: 'manager',
      type: 'text',
      nonEmpty: true,
      summary: 'ID of the lost manager, if the target has copies of several',
    },
    {
      name: 'without-schedule',
      type: 'flag',
      summary: 'Do not restore the schedule, e.g. for a drill while the old server runs',
    },
  ],
  ability: 'admin',
  mutating: true,
  surfaces: ['cli'],
  examples: ['recover --from scp --dry-run', 'recover --from scp', 'recover --from s3 --without-schedule'],
  view: { type: 'table', columns: ['what', 'name', 'result', 'message'], empty: 'There is nothing to recover.' },
  async handler(call) {
    const { context, input, caller } = call
    const { from: target, manager } = input
    if (target === undefined)
      throw new ManagerError('ERR_USAGE', 'recover needs --from <target>.', { command: 'recover --help' })
    const begin = performance.now()
    const work = async () => {
      const { rows, warnings, manifest } = await recoverServer(context, caller, { target, manager })
      const all = [...rows, ...(await schedule(call, manifest, !input['without-schedule']))]
      return { ...summary(all, caller, performance.now() - begin), list: all, warnings }
    }
    if (caller.dryRun) return work()
    const entry = { action: 'recover', parameters: { target, manager: manager ?? '' } }
    return recordHistory(context, caller, entry, work)
  },
})

function summary(rows: readonly Recovered[], caller: Caller, ms: number) {
  const count = (result: Recovered['result'], what?: Recovered['what']) =>
    rows.filter((row) => row.result === result && (what === undefined || row.what === what)).length
  const failed = count('failed')
  const left = count('left out')
  const rest = [
    ...(count('there', 'instance') > 0 ? [`${count('there', 'instance')} already here`] : []),
    ...(failed > 0 ? [`${failed} could not be recovered`] : []),
    ...(left > 0 ? [`${left} left out`] : []),
  ]
  const more = rest.length > 0 ? ` (${rest.join(', ')})` : ''
  const instances = count('restored', 'instance')
  return {
    message: caller.dryRun
      ? `${countText(instances, 'instance')} would be recovered${more}: nothing was done.`
      : `${countText(instances, 'instance')} recovered${more}, after ${(ms / 1000).toFixed(1)} s.`,
    ...(failed > 0 && { exitCode: 1 as const }),
  }
}

/** As on the lost machine, unless something is scheduled here already. */
async function schedule(
  call: CallPlace,
  manifest: ManagerManifest | undefined,
  isWanted: boolean,
): Promise<readonly Recovered[]> {
  const saved = manifest?.schedule
  if (!saved) return []
  const { caller } = call
  const times = saved.jobs.map(({ name, time }) => `${name} ${time}`).join(', ')
  const jobs = Object.fromEntries(
    jobNames.map((name) => [name, saved.jobs.find((job) => job.name === name)?.time ?? 'off']),
  )
  const command = `schedule install ${saved.jobs.map(({ name, time }) => `--${name} ${time}`).join(' ')}`
  if (!isWanted) return [recovered('schedule', times, 'left out', `As asked for: ${command}`)]
  try {
    const there = await performRow(scheduleAction, { ...call, input: { what: 'show' } })
    if ((there.list ?? []).length > 0) return [recovered('schedule', times, 'there')]
    const wanted = { what: 'install', ...jobs, ...(saved.by === 'systemd' && { systemd: true }) }
    if (!caller.dryRun) await performRow(scheduleAction, { ...call, input: wanted })
    return [recovered('schedule', times, 'restored')]
  } catch (error) {
    return [recovered('schedule', times, 'failed', `${(error as Error).message} Then: manager ${command}`)]
  }
}
