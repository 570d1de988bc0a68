import { ManagerError } from '../../errors.js'
import type { Action, Option, Parameter } from '../action.js'
import type { Input } from '../domain/input.js'
import { checkName } from '../domain/names.js'
import { didYouMean } from '../domain/near-miss.js'

type Declared = Parameter & Option

/** Longer texts are no input of a person. Not specified; chosen because it is far above any sensible value. */
const maxLength = 10_000

/**
 * Inputs with their types, as handlers take them; texts such as `yes` and `12` are turned into theirs. Empty texts of
 * inputs that are not required are absent.
 *
 * @throws ManagerError ERR_USAGE naming the input and what it takes; ERR_NAME for a new name.
 */
export function checkInput(action: Action, input: Readonly<Record<string, Input>>): Readonly<Record<string, Input>> {
  const declared: readonly Declared[] = [...(action.parameters ?? []), ...(action.options ?? [])]
  const names = declared.map(({ name }) => name)
  for (const name of Object.keys(input)) {
    if (names.includes(name) || input[name] === undefined) continue
    throw usage(action, `${action.name} takes no "${shown(name)}".`, didYouMean(name, names))
  }
  const entries = declared.flatMap((one) => {
    const given = Object.hasOwn(input, one.name) ? input[one.name] : undefined
    if (one.nonEmpty && given === '') throw usage(action, `${one.name} is empty: ${lowerFirst(one.summary)}`)
    const value = isAbsent(given) ? undefined : one.variadic ? listOf(action, one, given) : valueOf(action, one, given)
    if (value === undefined && one.required)
      throw usage(action, `${action.name} needs a <${one.name}>: ${lowerFirst(one.summary)}`)
    return value === undefined ? [] : [[one.name, value] as const]
  })
  return Object.freeze(Object.fromEntries(entries))
}

function isAbsent(value: Input): value is undefined | '' | readonly [] {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function listOf(action: Action, declared: Declared, given: Input): readonly string[] {
  const values = Array.isArray(given) ? (given as readonly string[]) : [given]
  return values.map((value) => String(valueOf(action, declared, value)))
}

function valueOf(action: Action, declared: Declared, given: Input): Input {
  if (Array.isArray(given)) throw refused(action, declared, given.join(' '), 'one value')
  if (String(given).length > maxLength || String(given).includes('\0'))
    throw refused(action, declared, String(given), `text of at most ${maxLength} characters`)
  switch (declared.type) {
    case 'integer':
      return integerOf(action, declared, given)
    case 'yes-no':
    case 'flag':
      return yesNoOf(action, declared, given)
    case 'choice':
      return choiceOf(action, declared, given)
    case 'new-name':
      checkName(String(given))
      return String(given)
    default:
      return String(given)
  }
}

function integerOf(action: Action, declared: Declared, given: Input): number {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = declared
  const value = typeof given === 'number' ? given : /^[+-]?\d{1,16}$/.test(String(given)) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  const from = declared.min === undefined ? '' : ` from ${min}`
  const to = declared.max === undefined ? '' : ` up to ${max}`
  throw refused(action, declared, String(given), `a whole number${from}${to}`)
}

/** Spellings of yes and no, in any case. The first ones are those of the requirements. */
const yesNo: Readonly<Record<string, boolean>> = {
  yes: true,
  no: false,
  true: true,
  false: false,
  on: true,
  off: false,
  '1': true,
  '0': false,
}

function yesNoOf(action: Action, declared: Declared, given: Input): boolean {
  const text = String(given).toLowerCase()
  if (Object.hasOwn(yesNo, text)) return yesNo[text] as boolean
  throw refused(action, declared, String(given), 'yes or no')
}

function choiceOf(action: Action, declared: Declared, given: Input): string {
  const { choices = [] } = declared
  const choice = choices.find((one) => one.toLowerCase() === String(given).toLowerCase())
  if (choice !== undefined) return choice
  throw refused(action, declared, String(given), `one of ${choices.join(', ')}`)
}

function refused(action: Action, { name, secret }: Declared, given: string, takes: string): ManagerError {
  return usage(action, `${name} takes ${takes}${secret ? '' : `, not "${shown(given)}"`}.`)
}

function usage(action: Action, message: string, help?: string): ManagerError {
  return new ManagerError('ERR_USAGE', message, {
    command: `${action.name} --help`,
    ...(help !== undefined && { help }),
  })
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
