import type { ApplicationDescription, FieldDescription, ObjectDescription } from './application.js'
import { anonymiseDump, type Counts } from './anonymise-dump.js'
import { loadFake } from './fake.js'
import { createKey } from './key.js'
import { parseRules } from './read-rules.js'
import { resolveRules } from './resolve-rules.js'
import { openSpool } from './spool.js'

/** A field as an application describes it; what is not said is as with most fields. */
export function field(name: string, more: Partial<FieldDescription> = {}): FieldDescription {
  const type = more.type ?? 'string'
  const empty = ['integer', 'decimal'].includes(type) ? null : ''
  const length = ['string', 'email', 'phone', 'url', 'color'].includes(type) ? { length: 255 } : {}
  const common = { label: name, column: name, required: false, unique: false, technical: false }
  return { name, type, empty, ...common, ...length, ...more }
}

export function object(
  name: string,
  fields: readonly FieldDescription[],
  more: Partial<ObjectDescription> = {},
): ObjectDescription {
  const technical = ['created_by', 'updated_by'].map((one) => field(one, { technical: true }))
  return {
    ...{ name, table: `t_${name.toLowerCase()}`, system: false, key: [] },
    fields: [field('row_id', { type: 'id' }), ...fields, ...technical],
    ...more,
  }
}

export const user = object(
  'User',
  [
    field('usr_login', { required: true, unique: true, length: 100 }),
    field('usr_password', { type: 'password' }),
    field('usr_email', { type: 'email' }),
  ],
  { system: true },
)

export type Rows = readonly (readonly unknown[])[]

export interface Anonymised {
  readonly rows: Readonly<Record<string, Rows>>
  /** The last line. */
  readonly end: Readonly<Record<string, number>>
  readonly counts: Counts
  /** Ids of the documents that the clone may keep. */
  readonly documents: readonly string[]
}

/** Lines of a dump. Records are without row id and technical fields, which are added: `1`, `2` … by `ann`. */
export function dumpOf(objects: readonly ObjectDescription[], rows: Readonly<Record<string, Rows>>): string {
  const lines = objects.flatMap(({ name, fields }) => [
    { object: name, fields: fields.map((one) => one.name) },
    ...(rows[name] ?? []).map((row, at) => [String(at + 1), ...row, 'ann', 'admin']),
  ])
  const end = Object.fromEntries(objects.map(({ name }) => [name, rows[name]?.length ?? 0]))
  return [{ format: 'steward-records', version: 1 }, ...lines, { end }]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('')
}

/** Anonymises a dump by rules in YAML. */
export async function anonymise(
  objects: readonly ObjectDescription[],
  rules: string,
  rows: Readonly<Record<string, Rows>> | string | AsyncGenerator<Uint8Array>,
): Promise<Anonymised> {
  const parsed = parseRules(rules, 'rules.yaml')
  const application: ApplicationDescription = { documents: '/none', objects }
  const plan = resolveRules(parsed, application)
  const spool = openSpool()
  const counts: Counts = {}
  const documents: string[] = []
  try {
    const options = {
      plan,
      spool,
      key: createKey(parsed.seed),
      fake: await loadFake(parsed.locale),
      administrator: 'admin',
      onDocument: (id: string) => void documents.push(id),
    }
    const dump = isContent(rows) ? rows : chunksOf(Buffer.from(typeof rows === 'string' ? rows : dumpOf(objects, rows)))
    let text = ''
    for await (const chunk of anonymiseDump(dump, options, counts)) text += chunk.toString()
    return { ...read(text), counts, documents }
  } finally {
    spool.close()
  }
}

const isContent = (rows: object | string): rows is AsyncGenerator<Uint8Array> =>
  typeof rows === 'object' && Symbol.asyncIterator in rows

/** Cut anywhere, also within a character. */
async function* chunksOf(dump: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < dump.length; at += 997) yield dump.subarray(at, at + 997)
}

function read(text: string): Pick<Anonymised, 'rows' | 'end'> {
  const rows: Record<string, unknown[][]> = {}
  let [current, end]: [unknown[][], Record<string, number>] = [[], {}]
  for (const line of text.trimEnd().split('\n')) {
    const value = JSON.parse(line) as unknown[] | { object?: string; end?: Record<string, number> }
    if (Array.isArray(value)) current.push(value)
    else if (value.object !== undefined) rows[value.object] = current = []
    else if (value.end) end = value.end
  }
  return { rows, end }
}
