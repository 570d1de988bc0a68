import type { Request } from './transport.js'
import type { AnswerOptions, FilterValue, WriteOptions } from './types.js'

export type Parameters = Readonly<Record<string, FilterValue | undefined | null>>

/** The query part of an address, with its `?`; empty without parameters. */
export function queryOf(...all: readonly Parameters[]): string {
  const query = new URLSearchParams()
  for (const [name, value] of all.flatMap((parameters) => Object.entries(parameters))) {
    for (const one of [value ?? []].flat()) query.append(name, `${one}`)
  }
  const text = query.toString()
  return text && `?${text}`
}

/** Longest address part that every server on the way takes: theirs and the headers' limits start at 8 KiB. */
const longestQuery = 6_000

/** A search by its address, or by a body when the address would be too long. */
export function searchRequest(
  path: string,
  ...all: readonly Parameters[]
): Pick<Request, 'method' | 'path' | 'json' | 'reads'> {
  const query = queryOf(...all)
  if (query.length <= longestQuery) return { path: path + query }
  return { method: 'POST', path: `${path}/_search`, json: Object.assign({}, ...all) as Parameters, reads: true }
}

export function answerParameters(options: AnswerOptions & Pick<WriteOptions, 'dryRun'> = {}): Parameters {
  return {
    _fields: options.fields?.join(),
    _timestamps: options.timestamps,
    _inline_documents: listOrTrue(options.inlineDocuments),
    _inline_thumbnails: listOrTrue(options.inlineThumbnails),
    _dryrun: options.dryRun,
  }
}

function listOrTrue(value: true | readonly string[] | undefined): string | undefined {
  return value === undefined ? undefined : value === true ? 'true' : value.join()
}

/** A text as a filter for exactly it: without the meaning of wildcards, intervals and operators. */
export function exactly(text: string): string {
  return `= '${text.replaceAll("'", "''")}'`
}
