import { purgeExpired } from '../instances/purge.js'
import type { RefreshReport } from '../templates/template-source.js'
import type { Action, ActionCall, ActionResult } from './action.js'
import { recordHistory } from './record-history.js'

export const refreshAction: Action = {
  name: 'refresh',
  group: 'Manager',
  summary: 'Fetch the latest templates of all versions',
  description:
    'A version that cannot be fetched stays as it is, and the others are fetched all the same. Instances are left as they are; "upgrade" and "upgradeall" move them. What has been in the trash for APPS_TRASHDAYS is removed for good.',
  ability: 'admin',
  mutating: true,
  examples: ['refresh', 'refresh --dry-run'],
  view: {
    type: 'table',
    columns: ['version', 'result', 'date', 'error'],
    empty: 'There is no file version-<version>.sh.',
  },
  handler(call) {
    const { context, caller } = call
    if (caller.dryRun) return refresh(call)
    return recordHistory(context, caller, { action: 'refresh', instance: { id: '', name: '' } }, () => refresh(call))
  },
}

async function refresh({ context, caller }: ActionCall): Promise<ActionResult> {
  const { actor, dryRun = false, signal, waitMs, onEvent } = caller
  const report = await context.templates.refresh({
    ...{ actor, signal, waitMs, dryRun },
    onProgress: (text) => onEvent?.({ type: 'progress', step: '', text }),
  })
  const failed = report.versions.filter(({ result }) => result === 'failed')
  const kept = dryRun ? [] : await purgeExpired(context, caller)
  return {
    message: (dryRun ? 'Nothing was fetched: ' : '') + summarise(report),
    warnings: [...failed.map(({ version, error }) => `Version ${version} was not fetched: ${error}`), ...kept],
    list: report.versions.map(({ version, result, date, revision, error }) => ({
      ...{ version, result, date, revision, error },
    })),
    exitCode: failed.length === 0 ? 0 : 1,
  }
}

function summarise({ versions }: RefreshReport): string {
  const counts = Map.groupBy(versions, ({ result }) => result)
  return [...counts].map(([result, { length }]) => `${length} ${result}`).join(', ') || 'no versions'
}
