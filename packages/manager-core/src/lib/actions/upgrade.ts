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
import { autoUpgraded, upgradeAll } from '../upgrade/upgrade-all.js'
import { defineAction, type CallPlace } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'

export const upgradeAction = defineAction({
  name: 'upgrade',
  aliases: ['up'],
  group: 'Instances',
  summary: 'Bring an instance to the newest template of its version',
  description:
    'A snapshot is taken, the new application takes the place of the old one and is started. When it does not get healthy, or does not stay so for APPS_HEALTHWINDOW, application and data are put back as they were. With a reverse proxy (APPS_PROXY), and when the data model stays the same, it answers all the time, as with restart: there is no snapshot then, and when the new application is not healthy, the old one goes on with the data as they are. A warning tells of a gap, --dry-run before. The hooks pre-upgrade.sh and post-upgrade.sh run. An instance that is stopped is started to try it, and stopped again. "refresh" fetches templates, "setversion" moves to a higher version. With --rehearse the same is done with a copy of the instance that is neutralised, in no list, and removed again: its unit tests run, rows are counted before and after, and the answer says what changes, how long each part takes, and how long the instance would not answer. It ends with 0 only when the upgrade would succeed; no hooks run, and the instance keeps running. Refused is a template of another application (the name in app.yaml), or of an older version of it. While the instance runs, the new application is loaded and its changes are planned on the live database: what cannot be loaded, what the data do not allow, and what could lose data is refused, and the instance keeps running. --destructive allows a loss for this upgrade, and the restore point has what was lost; with --dry-run it lists the columns and counts their values. It needs the ability admin, and is refused for an instance that is protected.',
  parameters: [nameOfInstance],
  options: [
    { name: 'force', short: 'f', type: 'flag', summary: 'Also when there is nothing newer' },
    {
      name: 'rehearse',
      type: 'flag',
      summary: 'Try it with a copy that is removed again, and report what it changes and how long it takes',
    },
    { name: 'replace', type: 'flag', summary: 'Also by another application, or by an older version of it' },
    {
      name: 'destructive',
      type: 'flag',
      summary: 'Let the database lose what the new application has no place for, this time',
      ability: 'admin',
    },
  ],
  ability: 'operate',
  mutating: true,
  destructive: 'Data of "{name}" that the new application has no place for will be lost.',
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
          `"${instance.name}" has the newest ${newest.version} already: revision ${shortRevision(newest.revision)} of ` +
          `${newest.date}. Its template was last looked for at ${newest.refreshed}; "refresh" looks again.`,
        ...warningsOf([
          newest.problem !== '' && `A newer template was not taken: ${newest.problem}`,
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
        lost.length > 0 ? ` What was lost can be had back for ${days} days: manager rollback ${now.name}.` : ''
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
  summary: 'Upgrade all instances that are upgraded automatically (autoupdate)',
  description:
    'One after the other, those that are not protected first; within APPS_WINDOW when it is set. After the first failure no other ' +
    'instance of the same version is upgraded, and those of other versions are. Failures are mailed to APPS_EMAIL. With APPS_REHEARSEUPGRADES=yes each upgrade to a revision is rehearsed first, unless that went well before; when that fails, the instance is left as it is.',
  options: [
    { name: 'keep-going', type: 'flag', summary: 'Also go on with others of the same version' },
    { name: 'now', type: 'flag', summary: 'Also outside of APPS_WINDOW' },
  ],
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['upgradeall', 'upgradeall --now --keep-going', 'upgradeall --dry-run'],
  view: {
    type: 'table',
    columns: ['name', 'version', 'result', 'message'],
    empty: 'All instances have the newest template of their version, or are not upgraded automatically.',
  },
  async handler({ context, input, caller }) {
    if (caller.dryRun) {
      const wanted = await autoUpgraded(context)
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
        ...(failing > 0 && { exitCode: 1 as const }),
      }
    }
    const options = { keepGoing: input['keep-going'], now: input.now }
    const { entries, warnings } = await upgradeAll(context, caller, options)
    const count = (result: string) => entries.filter((entry) => entry.result === result).length
    return {
      message: `${count('upgraded')} upgraded, ${count('failed')} failed, ${count('not begun')} not begun.`,
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
    'Only upwards. The instance goes on with what it runs; the next upgrade moves it to the new version. Reset makes it anew of any version.',
  parameters: [
    nameOfInstance,
    { name: 'version', type: 'version', required: true, summary: 'One of the versions, a higher one' },
  ],
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
        message: `"${now.name}" has version ${now.version} now; the next upgrade moves it there (upgrade ${now.name}).`,
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
