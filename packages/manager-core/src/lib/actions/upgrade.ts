import type { ActionResult } from '../action.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { wireInstance } from '../instances/wire-instance.js'
import { pinnedServer, serverVersion } from '../servers/application-server.js'
import { installedServer } from '../servers/server-store.js'
import { isUpgradeNeeded, shortRevision } from '../templates/upgrade-needed.js'
import { checkUpgrade, whyNotUpgraded } from '../upgrade/check-upgrade.js'
import type { RehearsalReport } from '../upgrade/rehearsal-report.js'
import { rehearsalText, rehearseKind } from '../upgrade/rehearse.js'
import { setVersionKind } from '../upgrade/set-version.js'
import { upgradeKind, type UpgradeRequest } from '../upgrade/upgrade.js'
import { autoUpgraded, heldBack, upgradeAll } from '../upgrade/upgrade-all.js'
import { defineAction, type CallPlace } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'

export const upgradeAction = defineAction({
  name: 'upgrade',
  aliases: ['up'],
  group: 'Instances',
  summary: 'Upgrade an instance to the latest template of its version',
  description:
    'Takes a snapshot, replaces the application, and starts the new one. If it is not healthy, or does not stay ' +
    'healthy for APPS_HEALTHWINDOW, application and data are rolled back. With a reverse proxy (APPS_PROXY), and ' +
    'if the data model does not change, there is no downtime, as with restart: no snapshot is taken, and if the ' +
    'new application is not healthy, the old one keeps running with the current data. A warning announces ' +
    'downtime; --dry-run shows it in advance. Runs the hooks pre-upgrade.sh and post-upgrade.sh. A stopped ' +
    'instance is started for the upgrade, and stopped again. To fetch templates, use "refresh"; to move to a ' +
    'higher version, use "setversion". --rehearse upgrades a neutralised temporary copy instead: it runs its ' +
    'unit tests, counts rows before and after, and reports the changes, the duration of each part and the ' +
    'expected downtime. The exit code is 0 only if the upgrade would succeed; no hooks run, and the instance ' +
    'keeps running. A template of another application (the name in app.yaml), or of an older version of it, is ' +
    'refused. While the instance runs, the new application is loaded and its changes are planned on the live ' +
    'database: what cannot be loaded, what the data does not allow, and what could lose data is refused, and the ' +
    'instance keeps running. --destructive allows the loss for this upgrade, and the restore point keeps the ' +
    'lost data; with --dry-run, it lists the columns and counts their values. It requires the ability admin, and ' +
    'is refused for protected instances.',
  parameters: [nameOfInstance],
  options: [
    { name: 'force', short: 'f', type: 'flag', summary: 'Upgrade even if nothing is newer' },
    {
      name: 'rehearse',
      type: 'flag',
      summary: 'Try the upgrade on a temporary copy, and report its changes and duration',
    },
    { name: 'replace', type: 'flag', summary: 'Allow another application, or an older version of it' },
    {
      name: 'destructive',
      type: 'flag',
      summary: 'Allow the loss of data that the new application has no fields for, this time only',
      ability: 'admin',
    },
  ],
  ability: 'operate',
  mutating: true,
  destructive: 'Data of "{name}" that the new application has no fields for will be lost.',
  destructiveWith: 'destructive',
  harmlessWith: 'rehearse',
  examples: [
    'upgrade demo',
    'upgrade demo --dry-run',
    'upgrade demo --rehearse',
    'upgrade demo --force',
    'upgrade demo --destructive --dry-run',
  ],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { name: instance, force, replace, destructive } = input
    const newest = await context.templates.get(instance.version)
    if (!force && !replace && !isUpgradeNeeded(instance, newest))
      return {
        message:
          `"${instance.name}" already has the latest ${newest.version}: revision ${shortRevision(newest.revision)} of ` +
          `${newest.date}. Templates were last fetched at ${newest.refreshed}; to fetch again, use "refresh".`,
        ...warningsOf([
          newest.problem !== '' && `A newer template was not accepted: ${newest.problem}`,
          olderServer(context, instance),
        ]),
        item: wireInstance(instance, context.settings.global),
      }
    const request = { id: instance.id, name: instance.name, force, replace, destructive }
    if (input.rehearse) return rehearse(call, request)
    return runOperation(call, upgradeKind, request, ({ outcomes }) => {
      const now = context.registry.byId(instance.id) ?? instance
      const { lost = [] } = (outcomes.get('start') ?? {}) as { readonly lost?: readonly string[] }
      const days = context.settings.global.restorePointDays
      const back =
        lost.length > 0 ? ` You can restore the lost data for ${days} days: manager rollback ${now.name}` : ''
      return {
        message: `"${now.name}" is upgraded to ${now.version} of ${now.versionDate}.${back}`,
        item: { ...wireInstance(now, context.settings.global), ...(lost.length > 0 && { lost }) },
      }
    })
  },
})

function warningsOf(texts: readonly (string | false | undefined)[]): { readonly warnings?: readonly string[] } {
  const warnings = texts.filter((text) => typeof text === 'string')
  return warnings.length > 0 ? { warnings } : {}
}

/** That it stays with another application server than the manager has now. */
function olderServer(context: ManagerContext, { id, name }: Instance): string | undefined {
  const server = pinnedServer(context.home.instance(id).app)
  const present = server === undefined ? undefined : installedServer(context.applicationServer)?.id
  if (server === undefined || present === undefined || server === present) return undefined
  return `"${name}" stays with the application server ${serverVersion(server)}; "upgrade ${name} --force" takes ${serverVersion(present)}.`
}

function rehearse(call: CallPlace, upgrade: UpgradeRequest): Promise<ActionResult> {
  return runOperation(call, rehearseKind, { id: randomId(), upgrade }, ({ outcomes }) => {
    const report = outcomes.get('report') as RehearsalReport
    return { message: rehearsalText(report), item: report }
  })
}

export const upgradeAllAction = defineAction({
  name: 'upgradeall',
  group: 'Instances',
  summary: 'Upgrade all instances included in nightly upgrades (autoupdate)',
  description:
    'Upgrades instances one by one, unprotected ones first; within APPS_WINDOW if that is set. After a failure, ' +
    'no other instance of the same version is upgraded; other versions continue. Failures are mailed to ' +
    'APPS_EMAIL. With APPS_REHEARSEUPGRADES=yes, each upgrade to a revision is rehearsed first, unless a ' +
    'rehearsal already succeeded; if the rehearsal fails, the instance is not upgraded.',
  options: [
    { name: 'keep-going', type: 'flag', summary: 'After a failure, continue with instances of the same version' },
    { name: 'now', type: 'flag', summary: 'Run even outside APPS_WINDOW' },
  ],
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['upgradeall', 'upgradeall --now --keep-going', 'upgradeall --dry-run'],
  view: {
    type: 'table',
    columns: ['name', 'version', 'result', 'message'],
    empty: 'No instance in nightly upgrades has a newer template to upgrade to.',
  },
  async handler({ context, input, caller }) {
    if (caller.dryRun) {
      const wanted = await autoUpgraded(context)
      const held = await heldBack(context)
      const list = []
      for (const { id, name, version } of wanted) {
        const problem = await whyNotUpgraded(() =>
          context.operations.plan(upgradeKind, { id, name, force: false }, caller),
        )
        list.push({
          name,
          version,
          result: problem === undefined ? 'would be upgraded' : 'would fail',
          message: problem ?? '',
        })
      }
      const failing = list.filter(({ message }) => message !== '').length
      return {
        message: `${list.length - failing} would be upgraded, ${failing} would fail.`,
        list,
        ...(held.length > 0 && { warnings: held }),
        ...(failing > 0 && { exitCode: 1 as const }),
      }
    }
    const options = { keepGoing: input['keep-going'], now: input.now }
    const { entries, warnings } = await upgradeAll(context, caller, options)
    const count = (result: string) => entries.filter((entry) => entry.result === result).length
    return {
      // words-allow: begun, the name of a result
      message: `${count('upgraded')} upgraded, ${count('failed')} failed, ${count('not begun')} not started.`,
      list: entries,
      ...(warnings.length > 0 && { warnings }),
      ...(count('failed') > 0 && { exitCode: 1 }),
    }
  },
})

export const setVersionAction = defineAction({
  name: 'setversion',
  group: 'Instances',
  summary: 'Record a higher version for an instance',
  description:
    'The version can only increase. The instance keeps running its current version; the next upgrade moves it to ' +
    'the new one. To start over with any version, use reset.',
  parameters: [nameOfInstance, { name: 'version', type: 'version', required: true, summary: 'A higher version' }],
  ability: 'operate',
  mutating: true,
  examples: ['setversion demo 2.0', 'upgrade demo'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const instance = input.name
    const { id, name: instanceName } = instance
    const version = input.version
    const result = await runOperation(call, setVersionKind, { id, name: instanceName, version }, () => {
      const now = context.registry.get(instanceName)
      return {
        message: `"${now.name}" is now recorded as version ${now.version}. To upgrade it: manager upgrade ${now.name}`,
        item: wireInstance(now, context.settings.global),
      }
    })
    const { folder: template } = await context.templates.get(version)
    const problem = await whyNotUpgraded(() => checkUpgrade(context, instance, { template }))
    return problem === undefined
      ? result
      : { ...result, warnings: [...(result.warnings ?? []), `The next upgrade would fail. ${problem}`] }
  },
})
