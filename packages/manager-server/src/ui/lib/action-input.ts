import type { WireAction, WireInput } from '@steward/manager-core'
import type { ApiParameters } from './addresses.js'

export type FieldValue = string | boolean
export type FieldValues = Readonly<Record<string, FieldValue>>

/** The input that says what an action is about: an instance, also one that is gone. */
export function subjectOf({ parameters }: WireAction): WireInput | undefined {
  return (
    parameters.find(({ type }) => type === 'instance') ??
    parameters.find(({ name, type }) => name === 'name' && type === 'text')
  )
}

/** What the API is asked with, without empty fields and boxes that are not ticked; `hidden` is not for addresses. */
export function parametersOf({ parameters, options }: WireAction, values: FieldValues) {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== false)
  const isHidden = ([name]: readonly [string, FieldValue]) =>
    [...parameters, ...options].some((one) => one.name === name && one.secret)
  return {
    plain: Object.fromEntries(given.filter((one) => !isHidden(one))) satisfies ApiParameters,
    hidden: Object.fromEntries(given.filter(isHidden).map(([name, value]) => [name, String(value)])),
  }
}

/** Whether what it takes away goes to the trash, and can be restored from there by who does it. */
export function isUndoable({ name }: WireAction, values: FieldValues, trash: Trash): boolean {
  return name === 'delete' && values['purge'] !== true && trash.days > 0 && trash.mayRestore
}

export interface Trash {
  /** How long it keeps what is in it; 0: not at all. */
  readonly days: number
  readonly mayRestore: boolean
}

/** What must be typed before something is lost; undefined: nothing is. */
export function confirmationOf(action: WireAction, values: FieldValues, instances: readonly string[]) {
  const { destructive, harmlessWith, destructiveWith, name, parameters } = action
  if (!destructive) return undefined
  const harmless = harmlessWith === undefined ? undefined : values[harmlessWith]
  if (harmless !== undefined && harmless !== '' && harmless !== false) return undefined
  if (destructiveWith !== undefined && values[destructiveWith] !== true) return undefined
  if (instances.length > 1) return String(instances.length)
  const first = parameters[0] && values[parameters[0].name]
  return instances[0] ?? (typeof first === 'string' && first !== '' ? first : name)
}

/** How an action is used, beside its name. */
export interface ActionScope {
  /** What it is about. Several: each of them, one by one. None: the form asks. */
  readonly instances?: readonly string[]
  /** Inputs that are decided: they are not asked for. */
  readonly given?: FieldValues
  /** The only inputs that are asked for. Default: all that the action has. */
  readonly fields?: readonly string[]
  /** Inputs without which this use of the action makes no sense, though it bears it: `as` of restore. */
  readonly required?: readonly string[]
}

/** The inputs that are asked for. */
export function inputsOf(
  row: WireAction,
  { given = {}, fields, required = [], instances = [] }: ActionScope,
): readonly WireInput[] {
  const subject = subjectOf(row)
  return [...row.parameters, ...row.options]
    .filter(({ name }) => given[name] === undefined && (fields?.includes(name) ?? true))
    .filter((input) => input !== subject || instances.length === 0)
    .map((input) => (required.includes(input.name) ? { ...input, required: true } : input))
}

/** What it is called with before anything is asked for. */
export function valuesOf(row: WireAction, { instances = [], given = {} }: ActionScope): FieldValues {
  const subject = subjectOf(row)
  return { ...given, ...(subject && instances.length === 1 && { [subject.name]: instances[0] as string }) }
}

/** Whether it needs no answer: nothing is asked for, and nothing is lost by it. */
export function isSimple(row: WireAction, use: ActionScope): boolean {
  const { instances = [] } = use
  return (
    inputsOf(row, use).length === 0 &&
    confirmationOf(row, valuesOf(row, use), instances) === undefined &&
    instances.length <= 1
  )
}
