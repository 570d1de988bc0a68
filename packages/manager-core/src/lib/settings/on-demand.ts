import { ManagerError } from '../../errors.js'

/** How each part of settings is made from values, and from what it was before them. */
export type Parts<T, Values> = {
  readonly [K in keyof T]-?: (values: Values, before: T[K] | undefined) => T[K]
}

export interface Sources<Values> {
  /** Refuse what cannot be used. */
  readonly strict: Values
  /** Replace what cannot be used by a default where that does no harm. */
  readonly lenient: Values
}

/**
 * Settings whose parts are made when they are read, so that a value that cannot be used spoils the part that needs it and
 * nothing else. The part of before takes its place, if there is one, else one with defaults, as far as they may be used.
 *
 * @returns what throws ManagerError ERR_SETTINGS when a part is read that cannot be made
 */
export function onDemand<T extends object, Values>(
  parts: Parts<T, Values>,
  { strict, lenient }: Sources<Values>,
  before: Partial<T> = {},
): T {
  const made = new Map<keyof T, unknown>()
  const read = <K extends keyof T>(name: K): T[K] => {
    if (made.has(name)) return made.get(name) as T[K]
    try {
      const part = parts[name](strict, before[name])
      made.set(name, part)
      return part
    } catch (error) {
      if (!isSettingsError(error)) throw error
      return name in before ? (before[name] as T[K]) : parts[name](lenient, undefined)
    }
  }
  const names = Object.keys(parts) as (keyof T)[]
  return Object.freeze(
    Object.defineProperties(
      {},
      Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => read(name) }])),
    ),
  ) as T
}

/** The parts that can be read, as they are. */
export function readableParts<T extends object>(settings: T): Partial<T> {
  return Object.fromEntries(
    Object.keys(settings).flatMap((name) => {
      try {
        return [[name, settings[name as keyof T]]]
      } catch (error) {
        if (isSettingsError(error)) return []
        throw error
      }
    }),
  ) as Partial<T>
}

/** Why parts cannot be created from these values, each reason once. */
export function problemsOf<T extends object, Values>(parts: Parts<T, Values>, values: Values): readonly ManagerError[] {
  const found = new Map<string, ManagerError>()
  for (const name of Object.keys(parts) as (keyof T)[])
    try {
      parts[name](values, undefined)
    } catch (error) {
      if (!isSettingsError(error)) throw error
      found.set(error.message, error)
    }
  return [...found.values()]
}

function isSettingsError(error: unknown): error is ManagerError {
  return ManagerError.is(error) && error.code === 'ERR_SETTINGS'
}
