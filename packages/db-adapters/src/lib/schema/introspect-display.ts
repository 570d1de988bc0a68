import { uniqueColumns } from './introspect-keys.js'
import type { ServedTable } from './served-table.js'

/** Columns that no page should show: they say nothing to people, or too much. */
const unfit = /(?:^|_)(?:uuid|guid|token|hash|salt|secret|password|passwd|pwd|api_?key)(?:_|$)/

/** Names of columns that tell people which row it is, best first. */
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

/** Fields that tell people which row it is: of its key, else a unique one, else one whose name says so; none when none does. */
export function displayOf({ info, key, fields }: ServedTable): string[] {
  const texts = [...fields.values()].filter(
    ({ name, column: { type } }) => (type.kind === 'string' || type.kind === 'enum') && !unfit.test(name),
  )
  const unique = uniqueColumns(info)
  const rank = ({ name }: { name: string }): number => {
    const place = telling.findIndex((pattern) => pattern.test(name))
    return place < 0 ? telling.length : place
  }
  const ofKey = texts.find(({ column }) => key.includes(column.name))
  const [ofIndex] = texts.filter(({ column }) => unique.has(column.name)).toSorted((a, b) => rank(a) - rank(b))
  const [named] = texts.filter((field) => rank(field) < telling.length).toSorted((a, b) => rank(a) - rank(b))
  const chosen = ofKey ?? ofIndex
  if (chosen) return [chosen.name]
  const person = texts.filter(({ name }) => /^(?:first|last)_?name$/.test(name)).map(({ name }) => name)
  if (person.length === 2 && (!named || rank(named) > 0)) return person
  return named ? [named.name] : []
}
