import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DocumentStore, Filter, Model, ObjectStore } from '@steward/rest-core'
import { cleanDocuments } from '@steward/rest-core'
import type { LogRing } from '../log-ring.js'

/** One kind of thing that can be thrown away. */
export interface Purge {
  /** For the report, e.g. `revoked tokens that have ended`. */
  readonly what: string
  /** @returns how many went that are older. */
  run(before: Date): Promise<number>
}

export interface PurgeOptions {
  readonly model: Model
  readonly store: ObjectStore
  readonly logs: LogRing | undefined
  /** Where payloads are kept. */
  readonly temporaryFolder: string
  readonly documents: DocumentStore
}

/** Names of `/io` that throw something away. Source: docs/spec/wire-decisions.md, "Application server". */
export const purgeServices = [
  'purgelogs',
  'purgejobs',
  'purgesupervisions',
  'purgerecyclebin',
  'purgeexports',
  'purgetempfiles',
  'purgeall',
] as const

export type PurgeService = (typeof purgeServices)[number]

/** Longest that a request may work on a file. */
const unusedMs = 24 * 3_600_000

/**
 * What each service throws away. There are no supervisions, no recycle bin and no kept exports here, so their lists are
 * empty. The audit trail and events are no business of theirs: events go when they were delivered, the audit trail stays.
 */
export function createPurges(options: PurgeOptions): Readonly<Record<PurgeService, readonly Purge[]>> {
  const { logs, temporaryFolder } = options
  const purgelogs = logs ? [{ what: 'log lines in memory', run: async () => logs.clear() }] : []
  const purgejobs = [
    records(options, 'webhook deliveries that have ended', 'WebhookDelivery', (before) => ({
      op: 'and',
      terms: [
        { op: 'in', field: 'whd_status', values: ['done', 'failed', 'skipped'] },
        { op: '<', field: 'whd_created', value: timestamp(before) },
      ],
    })),
  ]
  const purgetempfiles = [files('unused payloads', temporaryFolder), orphans(options)]
  const tokens = records(options, 'revoked tokens that have ended', 'RevokedToken', (before) => ({
    op: '<',
    field: 'rvk_expires',
    value: before.getTime(),
  }))
  return {
    purgelogs,
    purgejobs,
    purgesupervisions: [],
    purgerecyclebin: [],
    purgeexports: [],
    purgetempfiles,
    purgeall: [...purgelogs, ...purgejobs, ...purgetempfiles, tokens],
  }
}

function records({ model, store }: PurgeOptions, what: string, name: string, where: (before: Date) => Filter): Purge {
  return {
    what,
    async run(before) {
      const object = model.object(name)
      let count = 0
      for await (const batch of store.search(object, {
        select: object.select([]),
        where: where(before),
        order: [{ field: 'row_id', descending: false }],
      })) {
        for (const { row_id: id } of batch) if (await store.delete(object, id)) count++
      }
      return count
    },
  }
}

function files(what: string, folder: string): Purge {
  return {
    what,
    async run(before) {
      const latest = Math.min(before.getTime(), Date.now() - unusedMs)
      let count = 0
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        const found = await stat(path).catch(() => undefined)
        if (!found || found.mtimeMs > latest) continue
        await rm(path, { recursive: true, force: true })
        count++
      }
      return count
    },
  }
}

function orphans({ model, store, documents }: PurgeOptions): Purge {
  return {
    what: 'documents that no record has',
    run: (before) =>
      cleanDocuments({ model, store, documents, graceMs: Math.max(Date.now() - before.getTime(), unusedMs) }),
  }
}

/** `yyyy-MM-dd HH:mm:ss` in UTC. */
function timestamp(moment: Date): string {
  return moment.toISOString().slice(0, 19).replace('T', ' ')
}
