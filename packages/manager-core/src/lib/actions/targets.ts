import { probeTarget, type CheckReport, type TargetCapabilities } from '@steward/backup-targets'
import type { Action } from '../action.js'
import type { ManagerContext } from '../context.js'
import { countText } from '../domain/readable.js'
import type { TargetSettings } from '../settings/settings.js'
import { defineAction } from './define-action.js'

const list = defineAction({
  name: 'target list',
  group: 'Backups',
  summary: 'List the targets that backups are copied to',
  description:
    'Targets from the settings APPS_SCP_…, APPS_FTP_…, APPS_SWIFT_…, APPS_S3_… and APPS_GCS_…, and the named ' +
    'ones of APPS_TARGETS. Does not connect to the stores; to do so, use "target test".',
  ability: 'read',
  mutating: false,
  examples: ['target list', 'target list --json'],
  view: {
    type: 'table',
    columns: ['name', 'type', 'where', 'problem'],
    empty: 'No target is set, so backups stay on this machine. To see the settings, run: manager config --all remote',
  },
  async handler({ context }) {
    const rows = await Promise.all(context.targets.all.map((target) => rowOf(context, target)))
    return { message: `${countText(rows.length, 'target')}.`, list: rows }
  },
})

/** A target of backups, as `target list` answers it. */
export type WireTarget = {
  readonly name: string
  readonly type: string
  /** Where it stores them; empty: there is a problem. */
  readonly where: string
  readonly problem: string
}

async function rowOf({ targets }: ManagerContext, { name, type }: TargetSettings): Promise<WireTarget> {
  try {
    return { name, type, where: await targets.describe(name), problem: '' }
  } catch (error) {
    return { name, type, where: '', problem: error instanceof Error ? error.message : String(error) }
  }
}

const test = defineAction({
  name: 'target test',
  group: 'Backups',
  summary: 'Test a target, check by check',
  description:
    'Stores, reads, lists, truncates and removes small objects with names of their own (steward-check-…), as ' +
    'backups would. Failures are not retried, so you see how the store behaves. The exit code is 1 if a check ' +
    'fails.',
  parameters: [{ name: 'target', type: 'text', required: true, summary: 'Name of the target: see target list' }],
  ability: 'admin',
  mutating: false,
  examples: ['target test s3', 'target test scp --json'],
  view: { type: 'table', columns: ['name', 'result', 'message', 'seconds'], empty: 'Nothing was checked.' },
  async handler({ context, input, caller }) {
    const name = input.target
    const { targets } = context
    let capabilities: TargetCapabilities | undefined
    const open = async () => {
      const opened = await targets.open(name)
      capabilities = opened.capabilities
      return opened
    }
    const reports: CheckReport[] = []
    for await (const report of probeTarget(open, { signal: caller.signal })) {
      reports.push(report)
      caller.onEvent?.({ type: 'progress', step: '', text: `${report.name}: ${report.result}` })
    }
    const count = (result: CheckReport['result']) => reports.filter((report) => report.result === result).length
    const outcome = `${count('passed')} checks passed, ${count('failed')} failed, ${count('skipped')} skipped.`
    return {
      message: `Target "${name}": ${outcome}${capabilities ? ` ${abilities(capabilities)}` : ''}`,
      list: reports.map(({ name: check, result, message, durationMs }) => ({
        name: check,
        result,
        message,
        seconds: Math.round(durationMs / 10) / 100,
      })),
      // Without keys whose value is undefined, which JSON cannot hold.
      data: { capabilities: JSON.parse(JSON.stringify(capabilities ?? {})) },
      exitCode: count('failed') > 0 ? 1 : 0,
    }
  },
})

const publishing: Readonly<Record<TargetCapabilities['atomicPublish'], string>> = {
  rename: 'objects appear by a rename',
  complete: 'objects appear when their upload is completed',
  request: 'objects appear with one request',
}

const resuming: Readonly<Record<TargetCapabilities['resume'], string>> = {
  append: 'uploads resume after the last byte',
  parts: 'uploads resume after the last part',
  none: 'interrupted uploads start again',
}

function abilities(capabilities: TargetCapabilities): string {
  const { atomicPublish, resume, hashes, conditionalCreate, immutability, multipart, maxObjectBytes } = capabilities
  const parts = [
    publishing[atomicPublish],
    resuming[resume],
    hashes.length > 0 ? `it computes ${hashes.join(', ')}` : 'it computes no hashes, so copies are read back',
    ...(multipart ? [`parts have ${multipart.partBytes >> 20} MB`] : []),
    conditionalCreate ? 'concurrent writes are safe: one wins' : 'concurrent writers may overwrite each other',
    immutability ? 'it locks objects' : 'it locks nothing',
    ...(maxObjectBytes === undefined ? [] : [`objects have at most ${Math.floor(maxObjectBytes / 1e9)} GB`]),
  ]
  const text = parts.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

export const targetActions: readonly Action[] = [list, test]
