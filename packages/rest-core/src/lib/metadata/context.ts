import { RestError } from '../../errors.js'

/**
 * What metadata is asked for; the place in the list is the number. Source: docs/spec/wire-decisions.md, "metadata
 * context".
 */
export const metadataContexts = [
  'none',
  'search',
  'list',
  'create',
  'copy',
  'update',
  'delete',
  'graph',
  'crosstab',
  'publication',
  'bulkupdate',
  'refselect',
  'datamapselect',
  'prevalidate',
  'postvalidate',
  'statetransition',
  'export',
  'import',
  'associate',
  'panellist',
  'action',
  'agenda',
  'placemap',
] as const

export type MetadataContext = (typeof metadataContexts)[number]

/** A context by its name, in any case and with or without blanks, or number. @throws RestError ERR_BAD_REQUEST */
export function readMetadataContext(text: string): MetadataContext {
  const name = text.toLowerCase().replaceAll(/[\s_-]/g, '')
  const context = metadataContexts.find((each, number) => each === name || String(number) === name)
  if (context) return context
  const known = metadataContexts.map((each, number) => `${number} ${each}`).join(', ')
  throw new RestError('ERR_BAD_REQUEST', `Metadata context "${text.slice(0, 100)}" is not known; known are ${known}.`)
}
