import { dirname, join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import type { ManagerContext, OperationKind, Plan, Step } from '../context.js'
import type { OperationEvent } from '../domain/caller.js'
import { thisHost, type DatabaseType } from '../domain/instance.js'
import type { NewInstance } from '../instances/creation.js'
import { defineStep } from '../instances/define-step.js'
import { needsAccount } from '../instances/elsewhere.js'
import { neutraliseStep } from '../instances/neutralise.js'
import { startStep } from '../instances/runtime-steps.js'
import { placeStep } from '../instances/stage.js'
import { removeThrowAwaySteps, throwAwayRow } from '../instances/throw-away.js'
import { nameIn } from './choose-backup.js'
import { compareRowsStep } from './compare-rows-step.js'
import { needManifest } from './manifest.js'
import { inspectRecreation, recreateSteps } from './recreate-steps.js'
import { savedInstance } from './saved-instance.js'
import { fetchInto } from './copies/fetch-backup.js'
import { findCopy } from './copies/list-copies.js'
import { localFolderOf } from './copies/remote-backup.js'
import { changeStatus, type BackupStatus } from './status.js'
import { runtimeAgain } from './runtime-again.js'
import { checkKeys } from './verify-backup.js'

/** How long another process may fetch the same backup, in ms; the copy is not removed meanwhile. */
const fetchWaitMs = 3_600_000

export type ProveRequest = {
  /** Id of the temporary instance; no other instance has it. */
  readonly id: string
  /** Folder of the backup: absolute; of one at a target the one that it is fetched into, see `fetchFolder`. */
  readonly backup: string
  readonly key: string
  /** Name of a target; empty: the backup is here. */
  readonly target: string
  /** The instance that was saved; empty: it is gone. */
  readonly instance: string
}

type ProveFacts = {
  readonly row: NewInstance
  readonly folder: string
  readonly kind: DatabaseType | 'portable'
  /** Name and user of its database. */
  readonly names: { readonly name: string; readonly user: string }
  /** Name of the instance that was saved. */
  readonly saved: string
  /** ISO 8601 */
  readonly at: string
  readonly isolated: boolean
}

/** Where a backup is fetched to that is proved; beside those that are here, and none of them. */
export function fetchFolder({ settings }: Pick<ManagerContext, 'settings'>, id: string, key: string): string {
  return join(settings.global.saveFolder, `.prove-${id}`, key)
}

/** What the step `start` gives: how long it took from the backup to an instance that is healthy. */
export type Proof = { readonly at: string; readonly seconds: number }

/**
 * Restores a backup into an instance that is there for this only, with a name that no other one may have and a database
 * of its own, counts its rows, starts it, and removes all of it again, whatever comes out.
 */
export const proveKind: OperationKind<ProveRequest, ProveFacts> = {
  kind: 'prove',
  worksBeside: true,
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, backup, key, target }, context) {
    const manifest = target === '' ? await needManifest(backup) : (await copyAt(context, target, key)).manifest
    await checkKeys(backup, manifest, context.settings.global.backupEncryption)
    const { updated: _updated, ...saved } = savedInstance(manifest)
    const kind = await inspectRecreation(context, manifest, saved.database)
    const at = context.clock().toISOString()
    const { runtime } = await runtimeAgain(context, saved, null)
    const row = throwAwayRow({ ...saved, runtime, host: thisHost }, { id, source: `prove:${key}`, created: at })
    const names = context.databases.names(row.database, id)
    const { folder } = context.home.instance(id)
    return { row, folder, kind, names, saved: saved.name, at, isolated: needsAccount(context, runtime) }
  },
  plan: planProve,
}

function planProve(request: ProveRequest, { row, folder, kind, names, saved, at, isolated }: ProveFacts): Plan {
  const { backup, key, target } = request
  const { id, name } = row
  const throwAway = { id, name }
  const [first, ...others] = [
    ...(target === '' ? [] : [fetchStep(request)]),
    ...recreateSteps({ row, backup, kind, sameInstance: false, isolated }),
  ] as [Step, ...Step[]]
  return {
    title: `Test the restore of the backup ${key}`,
    instance: { id: request.instance || id, name: saved },
    steps: [
      timed(first),
      ...others,
      neutraliseStep(),
      compareRowsStep({ row, backup }),
      placeStep({ folder }),
      defineStep({ row, folder }),
      proofOf(startStep({ instance: throwAway, folder }), first.id, at),
      ...removeThrowAwaySteps({ row, folder, names, isolated }, target === '' ? [] : [dirname(dirname(backup))]),
      recordStep(request),
    ],
    notes: [
      'Restores the backup into a temporary instance with its own database, which sends nothing out and is removed ' +
        'afterwards.',
    ],
    commit(registry) {
      registry.deleteInstance(id)
      if (request.instance === '') return
      registry.updateInstance(request.instance, { proved: at })
      registry.setProvedBackup(request.instance, key)
    },
  }
}

/** Returns when it started. Until the point of no return an operation has one process only. */
function timed(step: Step): Step {
  return {
    ...step,
    async do(run) {
      const begun = performance.now()
      await step.do(run)
      return { begun }
    },
  }
}

function proofOf(step: Step, first: string, at: string): Step {
  return {
    ...step,
    async do(run) {
      await step.do(run)
      const { begun } = run.outcome(first) as { begun: number }
      const proof: Proof = { at, seconds: Math.round((performance.now() - begun) / 100) / 10 }
      return proof
    },
  }
}

function fetchStep({ backup, key, target }: ProveRequest): Step {
  return {
    id: 'fetch',
    title: `Fetch it from "${target}"`,
    async do(run) {
      const { context, signal, progress } = run
      const onEvent = (event: OperationEvent) => {
        if (event.type === 'progress') progress(event.text, event)
      }
      const copy = await copyAt(context, target, key)
      const options = {
        purpose: `fetch of ${key} for a test restore, process ${process.pid}`,
        waitMs: fetchWaitMs,
        signal,
      }
      await context.locks.with([`fetch:${key}`], options, () => fetchInto(context, { signal, onEvent }, copy, backup))
    },
    undo: () => removeTree(dirname(dirname(backup))),
    check: () => 'not-done',
  }
}

function copyAt(context: ManagerContext, target: string, key: string) {
  return findCopy(context, nameIn(key), { target, backup: key })
}

function recordStep({ key, target }: ProveRequest): Step {
  return {
    id: 'record',
    title: 'Record the test restore',
    async do({ context, outcome }) {
      const proved = outcome('start') as Proof satisfies BackupStatus['proved']
      // When a copy was read, the target's status says so.
      const verified = target === '' ? { verified: { at: proved.at } } : {}
      await changeStatus(localFolderOf(context, key), (status) => ({ ...status, ...verified, proved }))
    },
    check: () => 'not-done',
  }
}
