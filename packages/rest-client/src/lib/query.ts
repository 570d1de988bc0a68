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
