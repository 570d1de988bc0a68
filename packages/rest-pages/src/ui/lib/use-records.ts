import type { ObjectMetadata } from '@steward/rest-core'
import type { AnyRecord } from '@steward/rest-client'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiCall } from './api-call.js'
import type { ListAddress } from './list-address.js'
import { searchOf } from './search.js'
import { client } from './session.js'
import { useRetry } from './use-asked.js'
import { useLiveRows, type LiveRows } from './use-live-rows.js'

const listSize = 100
const none: readonly AnyRecord[] = []

export interface Records {
  readonly rows: readonly AnyRecord[]
  /** How many records match; undefined: not known yet. */
  readonly count: number | undefined
  readonly failure: unknown
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly more: () => void
  /** What others did with them since. */
  readonly live: LiveRows
  readonly reload: () => void
}

/** The call that gives the first page. */
export function callOf(metadata: ObjectMetadata, address: ListAddress): ApiCall {
  const { byIndex, filters, filter, order } = searchOf(address, metadata)
  const object = metadata.name
  const some = Object.keys(filters).length > 0 ? { filters } : {}
  return byIndex === undefined
    ? { object, method: 'page', args: [{ ...some, filter, order, pageSize: listSize }] }
    : { object, method: 'indexSearch', args: [byIndex, { ...some, page: 0, pageSize: listSize }] }
}

interface State {
  readonly question: string
  readonly rows: readonly AnyRecord[]
  readonly count?: number | undefined
  readonly failure?: unknown
  readonly isLoading: boolean
  /** Where the next page starts; undefined: there is none. */
  readonly next: string | undefined
}

/** The records of a list, page by page. Pages by cursor neither repeat nor leave out records that stay as they are. */
export function useRecords(metadata: ObjectMetadata, address: ListAddress, pageSize = listSize): Records {
  const search = searchOf(address, metadata)
  const question = JSON.stringify([metadata.name, search])
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState<State>({ question: '', rows: [], isLoading: true, next: undefined })
  const asking = useRef<AbortController>(undefined)

  async function load(before: readonly AnyRecord[], cursor: string): Promise<void> {
    asking.current?.abort()
    const { signal } = (asking.current = new AbortController())
    setState((now) => ({ ...(before.length > 0 ? now : { next: undefined }), question, rows: before, isLoading: true }))
    const { filters, filter, order, byIndex } = search
    const objects = client.object(metadata.name)
    try {
      if (byIndex === undefined) {
        const [page, count] = await Promise.all([
          objects.page({ filters, filter, order, cursor, pageSize, signal }),
          before.length === 0 ? objects.count(filters, { filter, signal }) : undefined,
        ])
        setState((now) => ({
          question,
          rows: [...before, ...page.records],
          count: count?.count ?? now.count,
          isLoading: false,
          next: page.cursor,
        }))
      } else {
        const found = await objects.indexSearch(byIndex, { filters, page: Number(cursor), pageSize, signal })
        const rows = [...before, ...found.map(({ data, row_id: id }) => ({ ...data, row_id: id }))]
        const isLast = found.length < pageSize
        setState({
          question,
          rows,
          ...(isLast && { count: rows.length }),
          isLoading: false,
          next: isLast ? undefined : String(Number(cursor) + 1),
        })
      }
    } catch (failure) {
      if (!signal.aborted) setState((now) => ({ ...now, failure, isLoading: false }))
    }
  }

  useEffect(() => {
    void load([], '')
    return () => asking.current?.abort()
  }, [question, turn])

  const reload = () => setTurn((count) => count + 1)
  useRetry(state.failure, reload)
  const isAnswer = state.question === question
  const rows = isAnswer ? state.rows : none
  const live = useLiveRows({
    metadata,
    search,
    rows,
    version: turn,
    onChanged: (changed) =>
      setState((now) => ({
        ...now,
        rows: now.rows.map((row) => changed.find(({ row_id: id }) => id === row.row_id) ?? row),
      })),
  })
  return {
    rows,
    live,
    count: isAnswer ? state.count : undefined,
    failure: isAnswer ? state.failure : undefined,
    isLoading: !isAnswer || state.isLoading,
    hasMore: isAnswer && state.next !== undefined,
    more: () => isAnswer && !state.isLoading && state.next !== undefined && void load(state.rows, state.next),
    reload,
  }
}
