import { ManagerError } from '../../errors.js'
import type { ActionResult } from '../action.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { removeUnusedPlaces } from '../documents/places.js'
import { recordHistory } from '../history/record-history.js'
import { purgeExpired } from '../instances/purge.js'
import { refreshBy, upgradeSelf } from '../self-upgrade/self-upgrade.js'
import { pinServer } from '../servers/application-server.js'
import type { RefreshReport } from '../templates/template-source.js'
import { removeAllExpiredPoints } from '../upgrade/restore-points.js'
import { removeUnusedServers } from '../upgrade/used-servers.js'
import { defineAction, type CallPlace } from './define-action.js'

export const refreshAction = defineAction({
  name: 'refresh',
  group: 'Manager',
  summary: 'Fetch the latest templates of all versions, and upgrade the manager if configured',
  description:
    'If a version cannot be fetched, its current template stays and the others are fetched. Instances do not ' +
    'change; to upgrade them, use "upgrade" or "upgradeall". Also deletes permanently what has been in the trash ' +
    'for APPS_TRASHDAYS. The manager itself is upgraded only if APPS_UPGRADEREGISTRY and APPS_UPGRADEPIN are set ' +
    'and it was installed by npm.',
  options: [{ name: 'no-self', type: 'flag', summary: 'Do not upgrade the manager itself' }],
  ability: 'admin',
  mutating: true,
  examples: ['refresh', 'refresh --no-self', 'refresh --dry-run'],
  view: {
    type: 'table',
    columns: ['version', 'result', 'date', 'error'],
    empty: 'There are no files version-<version>.sh.',
  },
  handler(call) {
    const { context, caller } = call
    const work = () => refresh(call, !call.input['no-self'])
    if (caller.dryRun) return work()
    return recordHistory(context, caller, { action: 'refresh' }, work)
  },
})

async function refresh({ context, caller }: CallPlace, withSelf: boolean): Promise<ActionResult> {
  const { actor, dryRun = false, signal, waitMs, onEvent } = caller
  const report = await context.templates.refresh({
    actor,
    signal,
    waitMs,
    dryRun,
    onProgress: (text) => onEvent?.({ type: 'progress', step: '', text }),
  })
  const self = withSelf ? await refreshSelf(context, caller) : undefined
  const failed = report.versions.filter(({ result }) => result === 'failed')
  const kept = dryRun ? [] : [...(await purgeExpired(context, caller)), ...(await removeUnusedPlaces(context))]
  if (!dryRun) {
    await removeAllExpiredPoints(context)
    await removeUnusedServers(context)
  }
  return {
    message: [(dryRun ? 'Nothing was fetched: ' : '') + summarise(report), self?.told].filter(Boolean).join('. '),
    warnings: [
      ...(self?.warnings ?? []),
      ...failed.map(({ version, error }) => `The latest template of version ${version} was not accepted: ${error}`),
      ...kept,
    ],
    list: report.versions.map(({ version, result, date, revision, error }) => ({
      version,
      result,
      date,
      revision,
      error,
    })),
    exitCode: failed.length === 0 ? 0 : 1,
  }
}

/** After the templates: what this program has not loaded by now is that of the new one, or gone. */
async function refreshSelf(context: ManagerContext, { dryRun, signal, onEvent }: Caller) {
  const { command, home, settings, registry } = context
  let source
  try {
    source = settings.global.upgradeSource
  } catch (error) {
    // The templates are fetched all the same.
    if (!ManagerError.is(error)) throw error
    return { warnings: [`The manager was not upgraded: ${error.message}`] }
  }
  if (!source) return undefined
  const onProgress = (text: string) => onEvent?.({ type: 'progress', step: '', text })
  try {
    // What they are served by is replaced.
    if (!dryRun) for (const { id } of registry.instances()) await pinServer(context, home.instance(id).app)
  } catch (error) {
    return { warnings: [`The manager was not upgraded: ${(error as Error).message}`] }
  }
  const { result, message } = await upgradeSelf({ command, source, dryRun, signal, onProgress })
  if (result === 'failed') return { warnings: [message] }
  if (result !== 'upgraded' || dryRun) return { told: message, warnings: [] }
  // The new one brings another default template.
  const problem = await refreshBy(command, home.folder)
  return { told: message, warnings: problem === undefined ? [] : [`The new manager could not refresh: ${problem}`] }
}

function summarise({ versions }: RefreshReport): string {
  const counts = Map.groupBy(versions, ({ result }) => result)
  return [...counts].map(([result, { length }]) => `${length} ${result}`).join(', ') || 'no versions'
}
