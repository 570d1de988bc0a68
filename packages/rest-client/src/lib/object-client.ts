import { lines } from './lines.js'
import { answerParameters, queryOf, searchRequest } from './query.js'
import type { Parameters } from './query.js'
import type { Transport } from './transport.js'
import type {
  ActionCall,
  ActionName,
  ActionOptions,
  AnswerOptions,
  AnyRecord,
  BatchItem,
  CallOptions,
  Count,
  CrosstabOptions,
  Filters,
  IndexRecord,
  Page,
  PageOptions,
  SearchOptions,
  Task,
  TypesOf,
  WriteOptions,
} from './types.js'

/**
 * The calls on one object, of whose records this is the type. All methods throw `RestClientError`. Source:
 * docs/spec/rest-service.md, "Endpoints".
 */
export type ObjectClient<K> = ReturnType<typeof createObjectClient<K>>

/** A record with the entity tag for `ifMatch`. */
export interface Tagged<R> {
  readonly record: R
  readonly etag: string
}

export function createObjectClient<K = AnyRecord>(name: string, { send, json }: Transport) {
  type Types = TypesOf<K>
  type R = Types['record']
  type Document = Exclude<keyof R & string, 'row_id'>
  const path = `/${encodeURIComponent(name)}`
  // What starts with a bare `_` is the service's own.
  const row = (rowId: string) => `${path}/${encodeURIComponent(rowId).replace(/^_/, '%5F')}`
  const keyed = (key: readonly (string | number)[]) =>
    `${path}/_key/${key.map((value) => encodeURIComponent(value)).join()}`

  return {
    /** @throws RestClientError ERR_NOT_FOUND */
    get: (rowId: string, options?: AnswerOptions<R>) =>
      json<R>({ path: row(rowId) + queryOf(answerParameters(options)), signal: options?.signal }),
    /** The record with its entity tag, to change it only if no one else has. */
    async getTagged(rowId: string, options?: CallOptions): Promise<Tagged<R>> {
      const response = await send({ path: row(rowId), signal: options?.signal })
      return { record: (await response.json()) as R, etag: response.headers.get('etag') ?? '' }
    },
    /** The record with this functional key, in the order of the key's fields. */
    getByKey: (key: readonly (string | number)[], options?: AnswerOptions<R>) =>
      json<R>({ path: keyed(key) + queryOf(answerParameters(options)), signal: options?.signal }),
    create: (values: Types['create'], options?: WriteOptions<R>) => write<R>('POST', path, options, values),
    update: (rowId: string, values: Types['update'], options?: WriteOptions<R>) =>
      write<R>('PUT', row(rowId), options, values),
    /** Updates the record with this functional key, or creates it. */
    upsert: (key: readonly (string | number)[], values: Types['update'], options?: WriteOptions<R>) =>
      write<R>('PUT', keyed(key), options, values),
    delete: (rowId: string, options?: WriteOptions<R>) => write<{ row_id: string }>('DELETE', row(rowId), options),
    /** All matching records, one at a time as they arrive: nothing is kept, and the call ends when the loop does. */
    async *search(options: SearchOptions<R> = {}): AsyncGenerator<R> {
      const headers = { Accept: 'application/x-ndjson' }
      const { body } = await send({ ...searching(options), headers, signal: options.signal })
      for await (const line of lines(body, options.signal)) if (line) yield JSON.parse(line) as R
    },
    /** One page; the next one with its `cursor`, or by its number. */
    async page(options: PageOptions<R> = {}): Promise<Page<R>> {
      const { cursor = '', page, pageSize } = options
      const more = { ...(page === undefined ? { _cursor: cursor } : { _page: page }), _pagesize: pageSize }
      const response = await send({ ...searching(options, more), signal: options.signal })
      const records = (await response.json()) as R[]
      return { records, cursor: response.headers.get('x-next-cursor') ?? undefined }
    },
    count: (filters: Filters<R> = {}, options?: CallOptions & Pick<SearchOptions<R>, 'filter'>) =>
      json<Count>({
        ...searchRequest(path, filters, { _count: true, _filter: options?.filter }),
        signal: options?.signal,
      }),
    /** Words; all must be met; `word*` is a prefix, `"some words"` a phrase. */
    indexSearch: (text: string, options: Omit<PageOptions<R>, 'cursor'> = {}) =>
      json<IndexRecord<R>[]>({
        ...searching(options, { _indexsearch: text, _page: options.page, _pagesize: options.pageSize }),
        signal: options.signal,
      }),
    /** Writes several records: all or nothing, or with `atomic: false` each on its own. */
    batch: (items: readonly BatchItem<K>[], options: WriteOptions<R> & { atomic?: boolean | undefined } = {}) =>
      write<unknown[]>('POST', `${path}/_batch`, options, items, { _atomic: options.atomic }),
    /** Metadata of the object, or with `rowId` of that record: what this user may do with it, and the ways from its state. */
    metadata: (context?: string | number, options: CallOptions & { rowId?: string | undefined } = {}) =>
      json<AnyRecord>({
        path:
          (options.rowId === undefined ? path : row(options.rowId)) +
          queryOf({ _metadata: true, _metadacontext: context }),
        signal: options.signal,
      }),
    /** The result; of a background action its task. Without `rowId` it works on the records that `filters` and `filter` match. */
    async action<A extends ActionName<K>>(
      action: A,
      ...[parameters, options = {}]: ActionCall<K, A, ActionOptions<R>>
    ): Promise<{ result: unknown } | { task: Task }> {
      const target = options.rowId === undefined ? path : row(options.rowId)
      const response = await send({
        method: 'POST',
        path: `${target}/action:${encodeURIComponent(action)}${queryOf(options.filters ?? {}, { _filter: options.filter })}`,
        json: parameters ?? {},
        signal: options.signal,
      })
      const body: unknown = await response.json()
      return response.status === 202 ? { task: body as Task } : (body as { result: unknown })
    },
    /** The published document as an answer: read it by `text()`, `blob()` or its `body`. */
    publication: (template: Types['publications'], options: SearchOptions<R> & { rowId?: string | undefined } = {}) =>
      send({
        path: `${options.rowId === undefined ? path : row(options.rowId)}/publication:${encodeURIComponent(template)}${queryOf(...searchParameters(options))}`,
        signal: options.signal,
      }),
    /** All lines, or a page of them. */
    crosstab: (crosstab: Types['crosstabs'], filters: Filters<R> = {}, options?: CrosstabOptions) =>
      json<AnyRecord>({
        ...searchRequest(path, filters, {
          _crosstab: crosstab,
          _crosstabcubes: options?.cubes,
          _filter: options?.filter,
          _order: options?.order?.join(),
          _page: options?.page,
          _pagesize: options?.pageSize,
        }),
        signal: options?.signal,
      }),
    /** The number of its lines without subtotals, and of their pages. */
    countCrosstab: (
      crosstab: Types['crosstabs'],
      filters: Filters<R> = {},
      options?: Pick<CrosstabOptions, 'filter' | 'pageSize' | 'signal'>,
    ) =>
      json<Count>({
        ...searchRequest(path, filters, {
          _crosstab: crosstab,
          _count: true,
          _filter: options?.filter,
          _pagesize: options?.pageSize,
        }),
        signal: options?.signal,
      }),
    /** The content of a document field as an answer, e.g. to read its `body` as a stream. */
    download: (rowId: string, field: Document, options?: CallOptions & { range?: string | undefined }) =>
      send({
        path: `${row(rowId)}/_document/${encodeURIComponent(field)}`,
        headers: { Range: options?.range },
        signal: options?.signal,
      }),
    /**
     * Puts a document into a field; gives the changed record. A stream is sent as it comes, but by browsers, which cannot: it
     * is gathered into a `Blob` first.
     */
    upload: (
      rowId: string,
      field: Document,
      content: Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
      document: { readonly name: string; readonly type?: string | undefined },
      options?: WriteOptions,
    ) =>
      json<R>({
        method: 'PUT',
        path: `${row(rowId)}/_document/${encodeURIComponent(field)}${queryOf({ _name: document.name })}`,
        headers: { 'Content-Type': document.type ?? 'application/octet-stream', 'If-Match': options?.ifMatch },
        body: content,
        signal: options?.signal,
      }),
  }

  function write<T>(
    method: 'POST' | 'PUT' | 'DELETE',
    target: string,
    options: WriteOptions<R> = {},
    values?: unknown,
    more: Parameters = {},
  ): Promise<T> {
    const { idempotencyKey, ifMatch, signal } = options
    return json<T>({
      method,
      path: target + queryOf(answerParameters(options), more),
      headers: {
        'Idempotency-Key': idempotencyKey === true ? crypto.randomUUID() : idempotencyKey,
        'If-Match': ifMatch,
      },
      json: values,
      signal,
    })
  }

  function searching(options: SearchOptions<R>, more: Parameters = {}): ReturnType<typeof searchRequest> {
    return searchRequest(path, ...searchParameters(options), more)
  }

  function searchParameters(options: SearchOptions<R>): Parameters[] {
    return [
      options.filters ?? {},
      answerParameters(options),
      { _filter: options.filter, _order: options.order?.join() },
    ]
  }
}
