import { exactly, type AnyRecord } from '@steward/rest-client'
import type { ObjectMetadata } from '@steward/rest-core'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useChanges } from './changes.js'
import { client } from './session.js'
import type { searchOf } from './search.js'

/** Changes that come together are looked at together. */
const gatherMs = 150
/** Records that are asked for at once: they are named in the address. */
const most = 100

export interface LiveRows {
  /** Rows that others changed while they are shown, and rows that do not match any more. */
  readonly marks: ReadonlyMap<string, 'changed' | 'gone'>
  /** Records that match and are not shown. */
  readonly added: number
}

export interface LiveRowsOptions {
  readonly metadata: ObjectMetadata
  readonly search: ReturnType<typeof searchOf>
  readonly rows: readonly AnyRecord[]
  /** Another number each time that the list is loaded. */
  readonly version: number
  readonly onChanged: (rows: readonly AnyRecord[]) => void
}

const nothing: LiveRows = { marks: new Map(), added: 0 }

/** Follows what others do with the records of a list, which keeps its rows and their order. */
export function useLiveRows({ metadata, search, rows, version, onChanged }: LiveRowsOptions): LiveRows {
  const [live, setLive] = useState(nothing)
  const shown = useRef(rows)
  shown.current = rows
  const heard = useRef(new Set<string>())
  const added = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const question = JSON.stringify([metadata.name, search, version])
  const current = useRef(question)
  current.current = question

  useEffect(() => {
    heard.current.clear()
    added.current.clear()
    setLive(nothing)
  }, [question])
  useEffect(() => () => clearTimeout(timer.current), [])

  useChanges((change) => {
    if (change && change.object !== metadata.name) return
    const ids = change ? [change.row_id] : shown.current.map(({ row_id: id }) => id)
    for (const id of ids) heard.current.add(id)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void look().catch(() => undefined), gatherMs)
  })

  async function look(): Promise<void> {
    const ids = [...heard.current].slice(0, most)
    for (const id of ids) heard.current.delete(id)
    if (ids.length === 0) return
    const asked = current.current
    const found = await matching(metadata, search, ids)
    if (asked !== current.current) return
    const before = new Map(shown.current.map((row) => [row.row_id, row]))
    const now = new Map(found.map((row) => [row.row_id, row]))
    const changed = found.filter((row) => before.has(row.row_id) && !isSameRow(before.get(row.row_id), row))
    for (const id of ids) {
      if (before.has(id)) continue
      if (now.has(id)) added.current.add(id)
      else added.current.delete(id)
    }
    if (changed.length > 0) onChanged(changed)
    setLive(({ marks }) => ({
      marks: new Map([
        ...marks,
        ...changed.map(({ row_id: id }) => [id, 'changed'] as const),
        ...ids.filter((id) => before.has(id) && !now.has(id)).map((id) => [id, 'gone'] as const),
      ]),
      added: added.current.size,
    }))
    if (heard.current.size > 0) await look()
  }

  return live
}

/** Those of the records that the list would show. */
async function matching(
  { name }: ObjectMetadata,
  { filters, filter, byIndex }: ReturnType<typeof searchOf>,
  ids: readonly string[],
): Promise<readonly AnyRecord[]> {
  const some = { filters: { ...filters, row_id: ids.map(exactly) }, pageSize: most }
  if (byIndex === undefined) return (await client.object(name).page({ ...some, filter })).records
  const found = await client.object(name).indexSearch(byIndex, { ...some, page: 0 })
  return found.map(({ data, row_id: id }) => ({ ...data, row_id: id }))
}

function isSameRow(a: AnyRecord | undefined, b: AnyRecord): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
