import type { ObjectMetadata } from '@steward/rest-core'
import { Skeleton } from '@steward/page-kit'
import { exactly } from '@steward/rest-client'
import { useLocation, useRoute } from 'preact-iso'
import { Problem } from '../components/problem.js'
import { metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { isPathToNew } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { initialValue, toDrafts } from '../record/draft.js'
import type { SavedRecord } from '../record/merge.js'
import { RecordForm } from '../record/record-form.js'
import '../styles/record.css'
import { NotFound } from './not-found.js'

/** A record, at `/ui/<Object>/<row_id>`; a new one at `/ui/<Object>/_new`, with values in the address, or those of `copy=<row_id>`. */
export function Record() {
  const { object = '', id = '' } = useRoute().params
  const { url } = useLocation()
  if (isPathToNew(url)) return <New key={url} object={object} query={url} />
  return id === '0' ? <Zero key={url} object={object} query={url} /> : <Saved object={object} id={id} />
}

/** Row 0 of a table that others made; elsewhere a new record. */
function Zero({ object, query }: { readonly object: string; readonly query: string }) {
  const { data, failure, reload } = useAsked(query, async (signal) => {
    const { records } = await client.object(object).page({ filters: { row_id: exactly('0') }, pageSize: 1, signal })
    return records.length > 0
  })
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (data === undefined) return <Skeleton />
  return data ? <Saved object={object} id="0" /> : <New object={object} query={query} />
}

function Saved({ object, id }: { readonly object: string; readonly id: string }) {
  async function read(signal?: AbortSignal): Promise<SavedRecord> {
    const [metadata, { record, etag }] = await Promise.all([
      client.object(object).metadata('update', { rowId: id, signal }) as unknown as Promise<ObjectMetadata>,
      client.object(object).getTagged(id, { signal }),
    ])
    return { metadata, record, etag }
  }
  const { data, failure, reload } = useAsked(`${object}/${id}`, read)
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  return <RecordForm key={`${object}/${id}`} saved={data} read={read} />
}

function New({ object, query }: { readonly object: string; readonly query: string }) {
  const { data, failure, reload } = useAsked(query, async (signal) => {
    const given = new URLSearchParams(query.replace(/^[^?]*/, ''))
    const from = given.get('copy')
    const metadata = await metadataOf(object, from === null ? 'create' : 'copy')
    const fields = metadata.fields.filter(({ ref, updatable }) => ref === null && updatable)
    const source = from === null ? undefined : await client.object(object).get(from, { signal })
    // Keys would be refused, and documents belong to their record.
    const copied = source ? fields.filter(({ key, type }) => !key && ![9, 17, 20].includes(type)) : []
    const start = {
      ...(source && toDrafts(copied, source)),
      ...Object.fromEntries(fields.flatMap(({ name }) => (given.has(name) ? [[name, given.get(name)]] : []))),
    }
    const record = Object.fromEntries(fields.map((field) => [field.name, initialValue(field)]))
    return { saved: { metadata, record, etag: '' }, start }
  })
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  return data.saved.metadata.create ? <RecordForm {...data} /> : <NotFound />
}
