import { ManagerError } from '../../errors.js'
import type { ActionResult, Option } from '../action.js'
import { raiseAlarm } from '../backup/alarm.js'
import { lastPart } from '../backup/choose-backup.js'
import { findCopy } from '../backup/copies/list-copies.js'
import { remoteIn } from '../backup/copies/remote-backup.js'
import { fetchFolder, proveKind, type Proof, type ProveRequest } from '../backup/prove.js'
import { randomId } from '../domain/names.js'
import { defineAction, type CallOf } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfBackup, whichBackup } from './shared-inputs.js'

const from = {
  name: 'from',
  type: 'text',
  summary: '<target> or <target>:<backup>: fetch this copy and test it',
} as const satisfies Option

export const prove = defineAction({
  name: 'prove',
  group: 'Backups',
  summary: 'Test that a backup can be restored, with a temporary instance',
  description:
    'Restores the backup into a temporary instance with its own database, compares the number of rows with the ' +
    'backup, starts the instance, and checks its health. The instance sends no mail, calls no other systems, ' +
    'runs no schedules, and is not listed; it is removed in any case. list and backups list show the last ' +
    'successful test. If a scheduled test fails (STEWARD_SURFACE=schedule), APPS_EMAIL is notified, and the hook ' +
    'monitoring.sh is called with the reason proof-failed.',
  parameters: [nameOfBackup, whichBackup],
  options: [from],
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['prove demo', 'prove demo 20261121T030000Z', 'prove demo --from scp', 'prove demo --dry-run'],
  view: { type: 'text' },
  async handler(call) {
    try {
      return await proveNow(call)
    } catch (error) {
      if (call.caller.surface !== 'schedule' || !ManagerError.is(error)) throw error
      return alarmOf(call, error)
    }
  },
})

type ProveCall = CallOf<typeof nameOfBackup | typeof whichBackup | typeof from>

async function proveNow(call: ProveCall): Promise<ActionResult> {
  const request = await requestOf(call)
  return runOperation(call, proveKind, request, ({ outcomes }) => {
    const { at, seconds } = outcomes.get('start') as Proof
    const { key, target } = request
    const where = target === '' ? '' : ` at "${target}"`
    return {
      message: `The backup ${key}${where} can be restored: it was restored, started and healthy after ${seconds} s.`,
      item: { backup: lastPart(key), target, proved: at, proved_seconds: seconds },
    }
  })
}

/** It runs unattended. */
async function alarmOf({ context, input: { name } }: ProveCall, error: ManagerError): Promise<ActionResult> {
  const { message, output = '' } = error
  const warnings = await raiseAlarm(context, {
    subject: `the test restore of ${name} failed`,
    text: `${message}\n${output}`.trimEnd(),
    instances: [{ name, reason: 'proof-failed', message }],
  })
  return { message, warnings, exitCode: 1 }
}

async function requestOf({ context, input, caller }: ProveCall): Promise<ProveRequest> {
  const id = randomId()
  const { name, from } = input
  const remote = from === undefined ? undefined : (remoteIn(from) ?? { target: from, backup: input.backup ?? 'latest' })
  const found = remote
    ? await findCopy(context, name, remote, { signal: caller.signal })
    : await context.backups.find(name, input.backup ?? 'latest')
  const { key, manifest } = found
  const { registry } = context
  // Whatever it is called now; the proof belongs to no other instance.
  const instance = registry.byId(manifest.instance.id)
  return {
    id,
    key,
    instance: instance?.id ?? '',
    target: remote?.target ?? '',
    backup: 'folder' in found ? found.folder : fetchFolder(context, id, key),
  }
}
