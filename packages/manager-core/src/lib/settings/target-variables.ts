import { builtInTypes } from '@steward/backup-targets'
import { nearMisses } from '../domain/near-miss.js'
import { isSecretName } from '../domain/secret-names.js'
import { isTargetVariable, targetVariable } from '../domain/target-names.js'
import { globalTable } from './tables/global.js'
import { parseValue, type Variable } from './variable.js'

/** The variables `APPS_TARGET_<NAME>_<OPTION>` of the targets in APPS_TARGETS. */
export interface TargetVariables {
  /** The options of a target in APPS_TARGETS. */
  of(target: string): TargetOptions
  /** Rows for the table of variables; also of those in which no name of APPS_TARGETS is. */
  readonly rows: Readonly<Record<string, Variable>>
  /** What to say about a variable of these rows. */
  hintOf(variable: string): string | undefined
}

interface TargetOptions {
  /** `APPS_TARGET_NAS_TYPE` */
  readonly type: string
  /** Variables by the names of the options: `path`. */
  readonly options: ReadonlyMap<string, string>
}

/**
 * @param names of all variables that are set, others are left alone
 * @param lookup value of a variable
 */
export function targetVariables(
  names: Iterable<string>,
  lookup: (name: string) => string | undefined,
): TargetVariables {
  const targets = targetNamesIn(lookup('APPS_TARGETS'))
  // With `nas` and `nas-2`, APPS_TARGET_NAS_2_PATH means the longer one.
  const longestFirst = targets.toSorted((a, b) => b.length - a.length)
  const found = new Map(targets.map((name) => [name, new Map<string, string>()]))
  const strays: string[] = []
  for (const variable of new Set(names)) {
    if (!isTargetVariable(variable)) continue
    const target = longestFirst.find((name) => variable.startsWith(targetVariable(name, '')))
    if (target === undefined) strays.push(variable)
    else found.get(target)?.set(variable.slice(targetVariable(target, '').length).toLowerCase(), variable)
  }
  const of = (target: string): TargetOptions => {
    const type = targetVariable(target, 'type')
    return { type, options: new Map([...(found.get(target) ?? [])].filter(([, variable]) => variable !== type)) }
  }
  return {
    of,
    rows: Object.fromEntries([
      ...targets.flatMap((name) => rowsOf(name, of(name), lookup(targetVariable(name, 'type')))),
      ...strays.map((name) => [name, row('Not used by any store of APPS_TARGETS', true)] as const),
    ]),
    hintOf: (variable) => (strays.includes(variable) ? hintOfStray(variable, targets) : undefined),
  }
}

const section = 'Remote stores'

function rowsOf(
  name: string,
  { type, options }: TargetOptions,
  value: string | undefined,
): readonly (readonly [string, Variable])[] {
  const ofType = { ...row(`${name}: type, or the npm package of a plug-in`), required: true } as const
  return [
    [type, ofType],
    ...[...options].map(
      ([option, variable]) => [variable, row(`${name}: option "${option}"`, isSecretOption(value, option))] as const,
    ),
  ]
}

function row(summary: string, secret = false): Variable {
  return { type: secret ? 'secret' : 'text', section, summary }
}

/** Options that hold no secret whatever the type. */
const plain: ReadonlySet<string> = new Set(
  'type url server host port user username path folder prefix bucket container region endpoint domain'.split(' '),
)
const known: ReadonlySet<string> = new Set(builtInTypes)

/** For a plug-in, every option that is not known to be none: it is not loaded to find out. */
function isSecretOption(type: string | undefined, option: string): boolean {
  return isSecretName(option) || (!plain.has(option) && (type === undefined || !known.has(type)))
}

/** None when the value is not allowed, which is reported elsewhere. */
function targetNamesIn(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return []
  const parsed = parseValue(globalTable.APPS_TARGETS, text)
  return 'value' in parsed ? (parsed.value as readonly string[]) : []
}

function hintOfStray(variable: string, targets: readonly string[]): string {
  const words = variable.toLowerCase().split('_').slice(2)
  for (const at of words.keys()) {
    const [meant] = nearMisses(words.slice(0, at).join('-'), targets)
    if (meant !== undefined) return `Did you mean ${targetVariable(meant, words.slice(at).join('_'))}?`
  }
  return 'APPS_TARGETS has no store of that name.'
}
