import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { foreignKind } from '../accounts/foreign.js'
import { isWebapp } from '../files/webapp.js'
import { callIo } from '../application/call-io.js'
import { changesOf, checkApplication } from '../application/check-application.js'
import { specOf } from '../application/instance-spec.js'
import { saveSteps } from '../backup/save-steps.js'
import type { ManagerContext, OperationKind, Plan, Step, StepRun } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { sizeText } from '../domain/readable.js'
import { folderSize } from '../files/folder-size.js'
import { accountStep } from '../instances/account-step.js'
import type { SourceFacts } from '../instances/anonymised-data-step.js'
import { copyDataStep } from '../instances/copy-data-step.js'
import type { NewInstance } from '../instances/creation.js'
import { databaseStep } from '../instances/database-step.js'
import { defineStep } from '../instances/define-step.js'
import { needsAccount } from '../instances/elsewhere.js'
import { existing } from '../instances/existing.js'
import { checkSpace } from '../instances/inspect-creation.js'
import { neutraliseStep } from '../instances/neutralise.js'
import { freePort } from '../instances/ports.js'
import { reserveStep } from '../instances/reserve-step.js'
import { settingsStep } from '../instances/settings-step.js'
import { layoutStep, placeStep } from '../instances/stage.js'
import { removeThrowAwaySteps, throwAwayRow } from '../instances/throw-away.js'
import { lastRehearsalRow, stepTimes } from '../store/operation-rows.js'
import { shortRevision } from '../templates/upgrade-needed.js'
import { besideStep, switchStep } from './application-steps.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import type { InstanceRef } from '../runtime/runtime.js'
import { isBookkeeping } from './bookkeeping.js'
import { patchesStep } from './patches.js'
import type { RehearsalReport } from './rehearsal-report.js'
import { newPointFolder, snapshotOf } from './restore-points.js'
import { tryStep } from './try-step.js'
import { planUpgrade, upgradeKind, type UpgradeFacts, type UpgradeRequest } from './upgrade.js'

export type RehearseRequest = {
  /** Id of the temporary instance; no other instance has it. */
  readonly id: string
  /** What is rehearsed. */
  readonly upgrade: UpgradeRequest
}

type RehearseFacts = {
  readonly row: NewInstance
  /** Home of the throw-away instance. */
  readonly folder: string
  /** Names of its database and the user. */
  readonly names: { readonly name: string; readonly user: string }
  readonly source: SourceFacts
  readonly application: string
  /** Folder of its snapshot. */
  readonly point: string
  readonly upgrade: UpgradeFacts
  readonly isolated: boolean
  readonly bytes: number
}

/**
 * Does with a copy of an instance what an upgrade would do with it: the copy has its data, a database and an account of
 * its own, is neutralised, and is in no list. It is removed again, whatever comes out. When it succeeds, so would the upgrade.
 */
export const rehearseKind: OperationKind<RehearseRequest, RehearseFacts> = {
  kind: 'rehearse',
  worksBeside: true,
  locks: ({ id, upgrade }) => [`instance:${id}`, `instance:${upgrade.id}`],
  async inspect({ id, upgrade: request }, context) {
    const { home, registry, databases, clock } = context
    // What would be refused is refused here.
    const upgrade = await upgradeKind.inspect(request, context)
    const instance = existing(registry, request)
    const { observed: _observed, operation: _operation, port: _port, updated: _updated, ...like } = instance
    const { folder: from, app, data } = home.instance(instance.id)
    await freePort(context)
    const bytes = upgrade.bytes + (await folderSize(app)) + (await folderSize(data))
    await checkSpace(home.folder, bytes)
    const { folder } = home.instance(id)
    const row = throwAwayRow(like, { id, source: `rehearse:${instance.name}`, created: clock().toISOString() })
    return {
      row,
      folder,
      names: databases.names(row.database, id),
      source: { id: instance.id, name: instance.name, folder: from, database: instance.database },
      application: app,
      point: newPointFolder(folder, upgrade.from, clock()),
      upgrade,
      isolated: needsAccount(context, instance.runtime),
      bytes,
    }
  },
  plan: planRehearsal,
}

function planRehearsal(request: RehearseRequest, facts: RehearseFacts): Plan {
  const { row, folder, names, source, application, point, upgrade, isolated, bytes } = facts
  const { version, versionDate, template, patches } = upgrade
  const throwAway = { id: row.id, name: row.name }
  const { notes = [] } = planUpgrade(request.upgrade, upgrade)
  return {
    title: `Rehearse the upgrade of instance "${source.name}" to version ${version} of ${versionDate.slice(0, 10)}`,
    instance: { id: source.id, name: source.name },
    steps: [
      reserveStep(row),
      ...(isolated ? [accountStep()] : []),
      layoutStep(application, { isolated }),
      settingsStep({ row, like: source.folder }),
      neutraliseStep(),
      databaseStep({ row }),
      copyDataStep(source),
      placeStep({ folder }),
      defineStep({ row, folder }),
      countStep('rows-before', folder),
      besideStep(folder, template),
      ...saveSteps({
        instance: throwAway,
        folder,
        target: snapshotOf(point),
        backup: row.name,
        suspend: false,
        secrets: true,
        encrypt: false,
      }),
      switchStep(folder),
      tryStep({ instance: row, folder, windowMs: upgrade.windowMs, check: upgrade.check ?? null }),
      ...(patches ? [patchesStep({ id: row.id, folder }, template)] : []),
      unitTestsStep({ id: row.id, folder }),
      countStep('rows-after', folder),
      reportStep(facts, notes),
      ...removeThrowAwaySteps({ row, folder, names, isolated }),
    ],
    notes: [
      'Uses a temporary copy, which sends nothing out and is removed afterwards. No hooks run.',
      `It temporarily needs ${sizeText(bytes)} of disk space. The instance keeps running, but no other operation ` +
        'can use it in the meantime.',
      ...notes.map((note) => `The upgrade: ${note}`),
    ],
    commit: (registry) => registry.deleteInstance(row.id),
    message: ({ outcome }) => sentenceOf(outcome('report') as RehearsalReport),
  }
}

/** Rows by table. */
function countStep(id: string, folder: string): Step {
  return {
    id,
    title: 'Count the rows of its tables',
    async do({ context: { settings, databases } }) {
      const own = await settings.instance(folder)
      return (await databases.server(own.database).statistics(databases.account(folder, own))).rows
    },
    check: () => 'not-done',
  }
}

function unitTestsStep(instance: InstanceRef): Step {
  const { folder } = instance
  return {
    id: 'unit-tests',
    title: 'Run its unit tests',
    async do({ context, signal }) {
      const app = join(folder, 'app')
      if (isWebapp(app) || foreignKind(join(app, 'tests')) === undefined) return { ran: false }
      const { ok, status, text } = await callIo(
        await context.settings.instance(folder),
        ownerOfPort(context.runtimes, instance),
        {
          service: 'unittests',
          signal,
        },
      )
      // It has none.
      if (status === 404) return { ran: false }
      if (!ok)
        throw new ManagerError('ERR_FAILED', 'Unit tests of the new version fail on a copy of the data.', {
          output: text.slice(-4000),
        })
      return { ran: true }
    },
    check: () => 'not-done',
  }
}

function reportStep({ upgrade, source, row }: RehearseFacts, notes: readonly string[]): Step {
  return {
    id: 'report',
    title: 'Compare the database before and after',
    async do(run) {
      const { version, versionDate, revision, from, handing, runs, windowMs } = upgrade
      const seconds = secondsOf(run)
      const started = Math.max(0, round((seconds['start'] ?? 0) - windowMs / 1000))
      const down = (seconds['save'] ?? 0) + (seconds['publish'] ?? 0) + (seconds['switch'] ?? 0) + started
      const left = await changesLeft(run.context, row.id)
      if (left.length > 0) run.warn(`The new version did not do this with the database: ${left.join('; ')}.`)
      const { ran } = run.outcome('unit-tests') as { ran: boolean }
      const report: RehearsalReport = {
        instance: source.name,
        version,
        version_date: versionDate,
        revision,
        from_version: from.version,
        from_version_date: from.versionDate,
        from_revision: from.revision,
        notes,
        changes: upgrade.check?.changes ?? null,
        rows: changedRows(run),
        unit_tests: ran ? 'passed' : 'none',
        seconds: {
          copy: seconds['data'] ?? 0,
          snapshot: round((seconds['save'] ?? 0) + (seconds['publish'] ?? 0)),
          start: started,
          patches: seconds['patches'] ?? 0,
          unit_tests: seconds['unit-tests'] ?? 0,
          total: round(Object.values(seconds).reduce((sum, each) => sum + each, 0)),
        },
        down_seconds: handing?.gap === null || !runs ? 0 : round(down),
      }
      return report
    },
    check: () => 'not-done',
  }
}

/** What another start would change in the database of an instance. */
async function changesLeft(context: ManagerContext, id: string): Promise<readonly string[]> {
  const { folder, app, data } = context.home.instance(id)
  const { environment } = await specOf(context, context.registry.byId(id) as Instance)
  const checked = await checkApplication(context, { app, environment, data, account: accountAt(folder) })
  return checked ? changesOf(checked) : []
}

function changedRows({ outcome }: StepRun): RehearsalReport['rows'] {
  const before = outcome('rows-before') as Readonly<Record<string, number>>
  const after = outcome('rows-after') as Readonly<Record<string, number>>
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted().flatMap((table) => {
    const row = { table, before: before[table] ?? null, after: after[table] ?? null }
    return row.before === row.after || isBookkeeping(table) ? [] : [row]
  })
}

/** How long each step took, as the journal says. */
function secondsOf({ context, operation }: Pick<StepRun, 'context' | 'operation'>): Readonly<Record<string, number>> {
  const times = [...stepTimes(context.registry, operation)]
  return Object.fromEntries(times.map(([step, ms]) => [step, round(ms / 1000)]))
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

/** For people, and for the history. */
export function sentenceOf({
  version,
  version_date: date,
  revision,
  seconds,
  down_seconds: down,
}: RehearsalReport): string {
  const pause = down === 0 ? 'without downtime' : `with about ${down} s of downtime`
  return (
    `Rehearsal succeeded for version ${version} of ${date}, revision ${shortRevision(revision)}: the upgrade ` +
    `would succeed ${pause}; the rehearsal took ${seconds.total} s.`
  )
}

/** Several lines, for a terminal. */
export function rehearsalText(report: RehearsalReport): string {
  const { seconds, rows, notes, unit_tests: tests } = report
  const parts = [
    `copy ${seconds.copy} s`,
    `snapshot ${seconds.snapshot} s`,
    `start ${seconds.start} s`,
    ...(seconds.patches > 0 ? [`patches ${seconds.patches} s`] : []),
  ]
  return [
    sentenceOf(report),
    `Parts: ${parts.join(', ')}. Unit tests: ${tests}.`,
    ...rows.map(
      ({ table, before, after }) => `Rows of ${table}: ${before ?? 'no table'} before, ${after ?? 'no table'} after.`,
    ),
    ...notes,
  ].join('\n')
}

/** When the upgrade of an instance to this revision was rehearsed last, from what it has now. */
export function lastRehearsal(
  { registry }: Pick<ManagerContext, 'registry'>,
  instance: { readonly id: string; readonly revision: string },
  revision: string,
): { readonly at: string; readonly good: boolean } | undefined {
  return lastRehearsalRow(registry, { instance: instance.id, from: instance.revision, to: revision })
}
