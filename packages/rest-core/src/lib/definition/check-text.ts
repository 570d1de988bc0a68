import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml'
import { DefinitionError } from '../../errors.js'
import { readSchemaErrors, type SchemaMistake } from './schema-errors.js'

/** See `parseCheckedFile`; in a module of its own, because the parser is large and many applications do not need it. */
export async function checkText(text: string, fileName: string, schema: object, validator?: URL): Promise<unknown> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${fileName}:${Math.max(line, 1)}:${Math.max(col, 1)}`
  }
  if (document.errors.length > 0) {
    throw new DefinitionError(
      document.errors.map(({ code, pos, message }) => {
        const text = code === 'MULTIPLE_DOCS' ? 'contains a second object; each one needs its own file' : message
        return `${place(pos[0])} ${text}`
      }),
    )
  }
  const data = toData(document, place)
  if (data === null) throw new DefinitionError([`${place(0)} is empty; it needs ${requiredOf(schema)}`])
  const validate = await validatorOf(schema, validator)
  if (!validate(data)) {
    const mistakes = readSchemaErrors(validate.errors ?? [])
      .map((mistake) => ({ ...mistake, offset: offsetOf(document.contents, mistake) }))
      .toSorted((a, b) => a.offset - b.offset)
    throw new DefinitionError(
      mistakes.map(({ path, text, offset }) =>
        [place(offset), ...(path.length > 0 ? [path.join('.')] : []), text].join(' '),
      ),
    )
  }
  const { $schema: _, ...definition } = data as { $schema?: string }
  return definition
}

function toData(document: ReturnType<typeof parseDocument>, place: (offset: number) => string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // Aliases that have no anchor, or that would unfold to something huge.
    throw new DefinitionError([`${place(0)} ${(error as Error).message}`], { cause: error })
  }
}

/** Where a mistake is in the text: its value, or its key. */
function offsetOf(root: Node | null, { path, atKey }: SchemaMistake): number {
  let node: unknown = root
  let offset = root?.range?.[0] ?? 0
  for (const [depth, key] of path.entries()) {
    let next: unknown
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      next = atKey && depth === path.length - 1 ? pair?.key : (pair?.value ?? pair?.key)
    } else if (isSeq(node)) {
      next = node.items[Number(key)]
    }
    offset = (next as Node | undefined)?.range?.[0] ?? offset
    node = next
  }
  return offset
}

const validators = new WeakMap<object, Promise<ValidateFunction>>()

function validatorOf(schema: object, compiled: URL | undefined): Promise<ValidateFunction> {
  let validator = validators.get(schema)
  if (!validator) {
    const isThere = compiled && existsSync(fileURLToPath(compiled))
    validator = isThere ? load(compiled) : compile(schema)
    validators.set(schema, validator)
  }
  return validator
}

async function load(compiled: URL): Promise<ValidateFunction> {
  return ((await import(compiled.href)) as { default: ValidateFunction }).default
}

async function compile(schema: object): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  return new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true }).compile(schema)
}

function requiredOf(schema: { required?: readonly string[] }): string {
  return (schema.required ?? []).map((name) => `"${name}"`).join(' and ')
}
