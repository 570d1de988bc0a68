import { createHash } from 'node:crypto'
import type { BusinessObjects, ObjectModel } from '@steward/rest-core'
import { systemPrincipal } from '@steward/rest-core'
import type { Logger } from 'pino'

/** The system parameter that records the objects whose index is up to date, and by which definition. */
const stateCode = 'STEWARD_INDEX'
/** Changes when words are made in another way. */
const version = 1

const principal = systemPrincipal()

/** What each indexed object is indexed by. */
type State = Record<string, string>

export interface IndexUpkeepOptions {
  readonly service: BusinessObjects
  readonly logger: Logger
  /** Tables that are new, and so in step. */
  readonly freshTables: ReadonlySet<string>
}

/** Work in the background. */
export interface IndexUpkeep {
  /** Settles when all indexes are in step, or the work was stopped; never rejects. */
  readonly done: Promise<void>
  /** Ends the work; the next start continues with it. */
  stop(): Promise<void>
}

/**
 * Rebuilds the indexes of objects that were not indexed before, or by another definition, or whose rebuild was cut short.
 * Searches and writes continue meanwhile; searches find the rows that were done.
 */
export async function startIndexUpkeep({ service, logger, freshTables }: IndexUpkeepOptions): Promise<IndexUpkeep> {
  const objects = [...service.model.objects.values()].filter(({ index }) => index !== undefined)
  if (objects.length === 0) return { done: Promise.resolve(), stop: async () => {} }
  const state = await readState(service)
  const fresh = objects.filter(({ table }) => freshTables.has(table))
  if (fresh.length > 0) await addToState(service, fresh)
  const stale = objects.filter((object) => !fresh.includes(object) && state[object.name] !== fingerprint(object))
  const stopping = new AbortController()
  const done = rebuild(stale).catch((error: unknown) =>
    logger.error(error, 'Index search: the rebuild failed; the next start tries again'),
  )
  return {
    done,
    stop() {
      stopping.abort()
      return done
    },
  }

  async function rebuild(stale: readonly ObjectModel[]): Promise<void> {
    const { signal } = stopping
    for (const object of stale) {
      logger.info(`Index search: the index of ${object.name} is being built`)
      const changed = await service.rebuildIndex(object.name, {
        signal,
        onProgress: ({ rows }) => logger.info(`Index search: ${object.name}: ${rows} rows`),
      })
      if (signal.aborted) return
      await addToState(service, [object])
      logger.info(`Index search: the index of ${object.name} is up to date; ${changed} rows were written`)
    }
  }
}

async function readState(service: BusinessObjects): Promise<State> {
  const request = { filter: { op: '=', field: 'sys_code', value: stateCode }, page: 0, pageSize: 1 } as const
  for await (const [record] of await service.search(principal, 'SystemParam', request)) {
    try {
      return JSON.parse(String(record?.['sys_value'])) as State
    } catch {
      return {}
    }
  }
  return {}
}

async function addToState(service: BusinessObjects, objects: readonly ObjectModel[]): Promise<void> {
  const entries = objects.map((object) => [object.name, fingerprint(object)])
  await service.upsert(principal, 'SystemParam', {
    sys_code: stateCode,
    sys_value: JSON.stringify({ ...(await readState(service)), ...Object.fromEntries(entries) }),
    sys_desc: 'Objects whose index is up to date. Without this parameter, the next start rebuilds all indexes.',
  })
}

/** Distinguishes definitions that give other words for the same record. */
function fingerprint({ index }: ObjectModel): string {
  const fields = index?.fields.map(({ name, type, definition }) => [
    name,
    type.name,
    'values' in definition ? definition.values : undefined,
  ])
  return createHash('sha256')
    .update(JSON.stringify([version, fields]))
    .digest('hex')
    .slice(0, 16)
}
