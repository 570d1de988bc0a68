import type {
  AnswerDescription,
  BodyDescription,
  FieldDescription,
  ObjectDescription,
  OperationDescription,
  ParameterDescription,
  Schema,
  ServiceDescription,
} from './description.js'
import { atOnce, type Steps } from '../steps.js'
import { guide } from './guide.js'
import { code, plainText } from './markdown-text.js'

/** The description as Markdown. */
export function toMarkdown(service: ServiceDescription): string {
  return atOnce(markdownSteps(service))
}

/** As `toMarkdown`, object by object. */
export function* markdownSteps(service: ServiceDescription): Steps<string> {
  let text = ''
  for (const part of markdownParts(service)) {
    text += part
    yield
  }
  return text
}

/** The parts of the text: what is general, and each object. */
export function* markdownParts(service: ServiceDescription): Generator<string, void, undefined> {
  const { title, version, base, objects, operations } = service
  const byObject = Map.groupBy(operations, ({ object }) => object)
  const general = byObject.get(undefined) ?? []
  const parts = [
    `# ${plainText(title)}${version === '' ? '' : ` ${plainText(version)}`}`,
    `Base address: ${code(base === '' ? '/' : base)}`,
    guide(service),
    `**Credentials.** Every call needs basic authentication, or a token as \`Authorization: Bearer …\`; both also in the header \`${service.authorizationHeader}\`.`,
    errorTable(operations),
    ...(general.length > 0 ? ['## Service', ...general.flatMap((operation) => operationPart(operation, '###'))] : []),
  ]
  yield `${parts.join('\n\n')}\n\n`
  for (const object of objects) yield `${objectPart(object, byObject.get(object.name) ?? []).join('\n\n')}\n\n`
}

function objectPart(object: ObjectDescription, own: readonly OperationDescription[]): string[] {
  const { name, label, help, fields } = object
  const [filtered] = own.filter(({ id }) => id.endsWith('-search'))
  const filters = (filtered?.parameters ?? []).filter(isFilter)
  return [
    `## ${plainText(label)} (${code(name)})`,
    ...(help === '' ? [] : [plainText(help)]),
    '### Fields',
    table(['Field', 'Label', 'Type', 'Rules'], fields.map(fieldRow)),
    ...(filters.length > 0
      ? [
          '### Filters',
          table(
            ['Parameter', 'Meaning'],
            filters.map(({ name: each, text }) => [code(each), text]),
          ),
        ]
      : []),
    ...own.flatMap((operation) => operationPart(operation, '###')),
  ]
}

function fieldRow({ name, label, help, type, rules }: FieldDescription): string[] {
  const shown = help === '' ? plainText(label) : `${plainText(label)}: ${plainText(help)}`
  return [code(name), shown, type, rules.join('; ')]
}

function operationPart(operation: OperationDescription, level: string): string[] {
  const { method, path, summary, text, parameters, body, answers } = operation
  const shown = parameters.filter((parameter) => !isFilter(parameter))
  const filtered = parameters.length > shown.length
  return [
    `${level} ${summary}`,
    code(`${method} ${path}`),
    ...(text === '' ? [] : [text]),
    ...(filtered ? ['The filters of the object apply.'] : []),
    ...(shown.length > 0 ? [table(['Parameter', 'In', 'Value', 'Meaning'], shown.map(parameterRow))] : []),
    ...(body ? bodyPart(body) : []),
    [
      ...answers.filter(({ status }) => status < 400).map(answerLine),
      `- Errors: ${answers.flatMap(({ status }) => (status < 400 ? [] : [status])).join(', ')}`,
    ].join('\n'),
  ]
}

/** With a table of its members, unless they are the fields of the object, which have a table of their own. */
function bodyPart({ content, text }: BodyDescription): string[] {
  const [schema] = Object.values(content)
  const members = Object.entries((schema?.['properties'] ?? {}) as Record<string, Schema>)
  const required = (schema?.['required'] ?? []) as readonly string[]
  const rows = members.map(([name, { title, description, ...form }]) => {
    const meaning = (description ?? plainText((title ?? '') as string)) as string
    return [code(name) + (required.includes(name) ? ' (required)' : ''), valueOf(form), meaning]
  })
  return [
    `Body (${Object.keys(content).map(code).join(', ')}): ${text}`,
    ...(rows.length > 0 ? [table(['Member', 'Value', 'Meaning'], rows)] : []),
  ]
}

function answerLine({ status, text, content, headers }: AnswerDescription): string {
  const types = Object.keys(content)
  const shown = types.length > 0 ? ` As ${types.map(code).join(' or ')}.` : ''
  const named = headers.length > 0 ? ` Headers: ${headers.map(({ name }) => code(name)).join(', ')}.` : ''
  return `- ${status}: ${text}${shown}${named}`
}

/** Errors are the same wherever they come. */
function errorTable(operations: readonly OperationDescription[]): string {
  const known = new Map(operations.flatMap(({ answers }) => answers.map((answer) => [answer.status, answer])))
  const errors = [...known.values()].filter(({ status }) => status >= 400).toSorted((a, b) => a.status - b.status)
  return table(
    ['Status', 'Meaning', 'Headers'],
    errors.map(({ status, text, headers }) => [String(status), text, headers.map(({ name }) => code(name)).join(', ')]),
  )
}

function parameterRow({ name, in: place, required, text, schema, list }: ParameterDescription): string[] {
  const value = list === 'commas' && place === 'query' ? 'names' : valueOf(schema)
  return [code(name) + (required ? ' (required)' : ''), place, value, text]
}

function valueOf(schema: Schema): string {
  const values = schema['enum'] as readonly string[] | undefined
  return values
    ? values.map((value) => (value === '' ? 'empty' : code(value))).join(', ')
    : [schema['type'] ?? 'any'].flat().join(' or ')
}

function isFilter({ name, in: place, shared }: ParameterDescription): boolean {
  return place === 'query' && shared !== undefined && !name.startsWith('_')
}

/** Cells are Markdown already, without line breaks. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
