import { uniqueColumns } from './introspect-keys.js'
import { isOwnKey } from './names.js'
import type { ServedTable } from './served-table.js'
import type { ColumnInfo } from './table-info.js'

/** Columns that no page should show: they say nothing to people, or too much. */
const unfit = /(?:^|_)(?:uuid|guid|token|hash|salt|secret|password|passwd|pwd|api_?key)(?:_|$)/

/** Names of columns by which people recognise a row, best first. */
const telling: readonly RegExp[] = [
  /^(?:name|title|label|subject)$/,
  /^(?:full|display|company|short|long|nick)_?name$/,
  // `city_name`, but no name of something else.
  /(?<!(?:^|_)(?:first|last|middle|given|family|sur|file|path|host|billing|shipping))_name$/,
  /_(?:title|label|subject)$/,
  /^(?:user_?name|login|e?_?mail)$/,
  // Not those that many rows share.
  /^(?:(?!.*(?:post|postal|zip|country|currency|area|dialling|language|lang|colou?r|state|status|type)_?code).*_)?code$/,
]

/** How many of these are names and titles; others are codes. */
const names = 4

/**
 * Fields by which people recognise a row: its name or title, else both names of a person, else a text of its key, else a
 * unique one, else one that is called like a code; none when there is none.
 */
export function displayOf({ info, key, fields }: ServedTable): string[] {
  const texts = [...fields.values()].filter(
    ({ name, column: { type } }) => (type.kind === 'string' || type.kind === 'enum') && !unfit.test(name),
  )
  const unique = uniqueColumns(info)
  const rank = ({ name }: { name: string }): number => {
    const place = telling.findIndex((pattern) => pattern.test(name))
    return place < 0 ? telling.length : place
  }
  const isOwn = ({ column }: { column: ColumnInfo }): number =>
    key.includes(column.name) ? 0 : unique.has(column.name) ? 1 : 2
  const ranked = texts.toSorted((a, b) => rank(a) - rank(b) || isOwn(a) - isOwn(b))
  const [best] = ranked
  const person = texts.filter(({ name }) => /^(?:first|last)_?name$/.test(name)).map(({ name }) => name)
  const marked =
    info.indexes.some(({ name }) => isOwnKey(name)) && texts.find(({ column }) => key.includes(column.name))
  // What references show of a table that `sync` made.
  if (marked) return [marked.name]
  if (best && rank(best) === 0) return [best.name]
  if (person.length === 2) return person
  if (best && rank(best) < names) return [best.name]
  const [own] = ranked.filter((field) => isOwn(field) < 2).toSorted((a, b) => isOwn(a) - isOwn(b))
  const chosen = own ?? ranked.find((field) => rank(field) < telling.length)
  return chosen ? [chosen.name] : []
}
