import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { ManagerError } from '../../errors.js'
import { isMap, isScalar, LineCounter, parseDocument, type Node, type Pair, type YAMLMap } from 'yaml'
import { didYouMean } from '../domain/near-miss.js'
import { createProblems, type Problems } from './problems.js'
import { fakeKinds, ruleKinds, type FakeKind, type FieldRule, type ObjectRules, type Rule, type Rules } from './rule.js'

/** Far above any set of rules that a person writes. */
const mostBytes = 2 ** 20

/**
 * Reads a file of rules. Whether its objects and fields are there is known only with the application.
 *
 * @returns with the file's SHA-256, by which it is seen whether it is still the same
 * @throws ManagerError ERR_NOT_FOUND, ERR_SETTINGS naming the line and what was probably meant
 */
export async function readRules(file: string): Promise<{ readonly rules: Rules; readonly hash: string }> {
  const text = await readText(file)
  return { rules: parseRules(text, basename(file)), hash: createHash('sha256').update(text).digest('hex') }
}

async function readText(file: string): Promise<string> {
  try {
    const found = await stat(file)
    // A pipe could be read but once.
    if (!found.isFile() || found.size > mostBytes)
      throw new ManagerError('ERR_SETTINGS', `${file} is not a rules file: it must be a file of at most 1 MB.`)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (ManagerError.is(error)) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new ManagerError('ERR_NOT_FOUND', `Rules file not found: ${file}`)
    throw new ManagerError('ERR_SETTINGS', `The rules in ${file} cannot be read: ${message}`, { cause: error })
  }
}

const topKeys = ['seed', 'locale', 'documents', 'default', 'objects']

/**
 * @param file as errors show it
 * @throws ManagerError ERR_SETTINGS with all mistakes
 */
export function parseRules(text: string, file: string): Rules {
  const lines = new LineCounter()
  const problems = createProblems(file)
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const reader = readerOf(problems, (node) => lines.linePos(node?.range?.[0] ?? 0).line)
  for (const { message, pos } of document.errors) problems.add(lines.linePos(pos[0]).line, message)
  problems.throwIfAny()
  const { contents } = document
  if (!isMap(contents)) {
    problems.add(1, 'it contains no rules; it needs "objects:" with rules by object and field')
    problems.throwIfAny()
  }
  const parts = reader.entries(contents as YAMLMap)
  for (const { key, line } of parts) if (!topKeys.includes(key)) problems.unknown(line, `"${key}"`, key, topKeys)
  const valueOf = (key: string) => parts.find((part) => part.key === key)
  const seed = reader.text(valueOf('seed'))
  const locale = reader.text(valueOf('locale')) ?? 'en'
  const localeLine = valueOf('locale')?.line ?? 1
  if (!/^[a-z]{2,3}(_[A-Za-z]{2,5}){0,2}$/.test(locale)) problems.add(localeLine, `"${locale}" is not a valid locale`)
  const documents = reader.choice(valueOf('documents'), ['keep', 'drop']) ?? 'drop'
  const other = valueOf('default')
  const rules: Rules = {
    file,
    ...(seed !== undefined && { seed }),
    locale,
    documents,
    default: (other && reader.rule(other)) ?? { kind: 'keep' },
    objects: reader.objects(valueOf('objects')),
  }
  problems.throwIfAny()
  return rules
}

interface Entry {
  readonly key: string
  readonly line: number
  readonly value: Node | null
}

function readerOf(problems: Problems, lineOf: (node: Node | null) => number) {
  function entries(map: YAMLMap): Entry[] {
    return map.items.flatMap(({ key, value }: Pair): Entry[] => {
      const line = lineOf(key as Node)
      if (isScalar(key)) return [{ key: String(key.value), line, value: value as Node | null }]
      problems.add(line, 'a name is expected')
      return []
    })
  }

  function text(entry: Entry | undefined): string | undefined {
    if (entry === undefined) return undefined
    const { key, value, line } = entry
    if (isScalar(value) && ['string', 'number'].includes(typeof value.value) && value.value !== '')
      return String(value.value)
    problems.add(line, `"${key}" takes a text`)
    return undefined
  }

  function choice<T extends string>(entry: Entry | undefined, choices: readonly T[]): T | undefined {
    if (entry === undefined) return undefined
    const { key, value, line } = entry
    const given = isScalar(value) ? String(value.value) : ''
    const found = choices.find((one) => one === given)
    if (found === undefined) problems.add(line, `"${key}" is one of ${choices.join(', ')}`, didYouMean(given, choices))
    return found
  }

  /** `hash`, `null`, `fake`, or `{ fake: email }`. */
  function rule({ key, value, line }: Entry): Rule | undefined {
    if (value === null || (isScalar(value) && value.value === null)) return { kind: 'null' }
    if (isScalar(value)) {
      const given = String(value.value)
      const kind = ruleKinds.find((one) => one === given)
      if (kind !== undefined) return { kind }
      problems.unknown(line, `the rule "${given}" of "${key}"`, given, ruleKinds)
      return undefined
    }
    const [only, ...more] = isMap(value) ? entries(value) : []
    if (only?.key === 'fake' && more.length === 0 && isScalar(only.value)) {
      const given = String(only.value.value)
      const fake = fakeKinds.find((one) => one === given)
      if (fake !== undefined) return { kind: 'fake', fake: fake satisfies FakeKind }
      problems.unknown(only.line, `the kind "${given}" of made-up values`, given, fakeKinds)
      return undefined
    }
    problems.add(line, `"${key}" takes one of ${ruleKinds.join(', ')}, or { fake: <kind> }`)
    return undefined
  }

  function objects(entry: Entry | undefined): ObjectRules[] {
    if (entry === undefined) return []
    if (!isMap(entry.value)) {
      problems.add(entry.line, '"objects" takes rules by object and field')
      return []
    }
    return entries(entry.value).flatMap(({ key, line, value }): ObjectRules[] => {
      if (isMap(value)) return [{ object: key, line, fields: entries(value).flatMap(fieldRule) }]
      // `Contact.con_email: hash`
      const dot = key.lastIndexOf('.')
      if (dot > 0)
        return [{ object: key.slice(0, dot), line, fields: fieldRule({ key: key.slice(dot + 1), line, value }) }]
      const records = choice({ key, line, value }, ['keep', 'drop'])
      return records === undefined ? [] : [{ object: key, line, records, fields: [] }]
    })
  }

  function fieldRule(entry: Entry): FieldRule[] {
    const found = rule(entry)
    return found === undefined ? [] : [{ field: entry.key, line: entry.line, rule: found }]
  }

  return { entries, text, choice, rule, objects }
}
