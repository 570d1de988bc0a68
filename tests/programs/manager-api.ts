import type { Action, Option, Parameter } from '@steward/manager-core'

/** What follows it in the page is generated from the action table. */
const marker = '<!-- made of the action table -->'

/** The page about the API, Markdown, with the tables that it ought to have. */
export function apiReference(page: string, actions: readonly Action[]): string {
  const ofApi = actions.filter(({ surfaces }) => surfaces === undefined || surfaces.includes('api'))
  const sections = [...new Set(ofApi.map(({ group }) => group))].flatMap((group) => [
    `### ${group}`,
    table(ofApi.filter((action) => action.group === group)),
  ])
  return `${[page.slice(0, page.indexOf(marker)) + marker, ...sections].join('\n\n')}\n`
}

function table(actions: readonly Action[]): string {
  const rows = actions.map((action) => [
    `\`${queryOf(action)}\``,
    cell(action.summary) + alsoKnownAs(action),
    action.ability + (action.mutating ? ', changes' : ''),
    optionsOf(action),
  ])
  return lines([['Query', 'What it does', 'Ability', 'Options'], ...rows])
}

function alsoKnownAs({ aliases = [] }: Action): string {
  const names = aliases.map((alias) => `\`${alias.replaceAll(' ', '-')}\``)
  return names.length === 0 ? '' : ` (also ${names.join(', ')})`
}

/** As a client writes it: `name` and `param` where they are meant. */
function queryOf({ name, parameters = [] }: Action): string {
  const first = parameters.findIndex(({ type }) => type === 'instance' || type === 'new-name')
  const second = parameters.findIndex((_, at) => at !== first)
  const queries = parameters.map((parameter, at) => {
    if (parameter.secret) return ''
    const isOwn = parameter.name === 'name' && at !== first
    const key = isOwn ? 'name' : at === first ? 'name' : at === second ? 'param' : parameter.name
    const text = `&${key}=${parameter.name === key ? '…' : `<${parameter.name}>`}`
    return parameter.required ? text : `[${text}]`
  })
  return [`action=${name.replaceAll(' ', '-')}`, ...queries].join('')
}

/** With parameters that are not in the query. */
function optionsOf({ parameters = [], options = [] }: Action): string {
  const all: readonly (Parameter & Option)[] = [...parameters.filter(({ secret }) => secret), ...options]
  return all
    .filter(({ type, surfaces = ['api'] }) => type !== 'file' && surfaces.includes('api'))
    .map((option) => `\`${option.name}\`${option.secret ? ' (in `X-Manager-Input`)' : valuesOf(option)}`)
    .join(', ')
}

function valuesOf({ type, choices, min, max }: Option | Parameter): string {
  if (choices) return ` (${choices.join(', ')})`
  if (type === 'yes-no') return ' (yes, no)'
  if (type === 'flag') return ' (true)'
  if (type !== 'integer') return ''
  return max === undefined ? ' (number)' : ` (${min ?? 0} to ${max})`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/[<*]/g, '\\$&')
}

function lines(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows
  const widths = head.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
  const line = (row: readonly string[]) => `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(head), rule, ...rows.slice(1).map(line)].join('\n')
}
