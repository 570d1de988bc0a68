import type { RefreshReport } from '../templates/template-source.js'
import type { Action } from './action.js'

export const refreshAction: Action = {
  name: 'refresh',
  group: 'Manager',
  summary: 'Fetch the latest templates of all versions',
  description:
    'A version that cannot be fetched stays as it is, and the others are fetched all the same. Instances are left as they are; "upgrade" and "upgradeall" move them.',
  ability: 'admin',
  mutating: true,
  examples: ['refresh', 'refresh --dry-run'],
  view: {
    type: 'table',
    columns: ['version', 'result', 'date', 'error'],
    empty: 'There is no file version-<version>.sh.',
  },
  async handler({ context, caller }) {
    const begin = performance.now()
    const at = context.clock().toISOString()
    const { actor, surface, dryRun = false, signal, waitMs, onEvent } = caller
    const report = await context.templates.refresh({
      ...{ actor, signal, waitMs, dryRun },
      onProgress: (text) => onEvent?.({ type: 'progress', step: '', text }),
    })
    const failed = report.versions.filter(({ result }) => result === 'failed')
    const warnings = failed.map(({ version, error }) => `Version ${version} was not fetched: ${error}`)
    if (!dryRun) {
      context.registry.transaction((writer) =>
        writer.addHistory({
          ...{ at, actor, surface, action: 'refresh', instanceId: '', instance: '', parameters: {}, operation: '' },
          result: failed.length === 0 ? 'ok' : 'failed',
          message: warnings.join('\n'),
          duration: Math.round(performance.now() - begin),
        }),
      )
    }
    return {
      message: (dryRun ? 'Nothing was fetched: ' : '') + summarise(report),
      warnings,
      list: report.versions.map(({ version, result, date, revision, error }) => ({
        ...{ version, result, date, revision, error },
      })),
      exitCode: failed.length === 0 ? 0 : 1,
    }
  },
}

function summarise({ versions }: RefreshReport): string {
  const counts = Map.groupBy(versions, ({ result }) => result)
  return [...counts].map(([result, { length }]) => `${length} ${result}`).join(', ') || 'no versions'
}
