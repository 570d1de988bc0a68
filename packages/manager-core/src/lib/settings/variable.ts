import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { abilities, type Ability } from '../domain/ability.js'
import { databaseTypes, type DatabaseType } from '../domain/instance.js'
import { isPackageName } from '../system/plugins.js'
import { Secret } from '../domain/secret.js'
import { allowedTargetNames, isTargetName } from '../domain/target-names.js'

/** What the value of a variable is turned into, by its type. */
interface TypeValues {
  text: string
  /** `http` or `https`; without a last slash. */
  url: string
  /** Absolute path. */
  path: string
  /** Spelled `true` and `false`; `yes` and `no` are taken too. */
  'true-false': boolean
  /** Spelled `yes` and `no`; `true` and `false` are taken too. */
  'yes-no': boolean
  integer: number
  /** 0, or from `min` to `max`. */
  limit: number
  choice: string
  /** Separated by commas, each once. */
  databases: readonly DatabaseType[]
  /** Separated by commas, each once. */
  list: readonly string[]
  /** Addresses and networks, `10.0.0.0/8`, separated by commas, each once. */
  networks: readonly string[]
  /** Separated by commas, each once. */
  abilities: readonly Ability[]
  /** The same of names of targets. */
  targets: readonly string[]
  /** `10000-19999`: both are in it. */
  ports: { readonly from: number; readonly to: number }
  /** `22:00-05:30`, local time; see `isInWindow`. */
  window: { readonly from: string; readonly to: string }
  email: string
  secret: Secret
}

/** One row of a table of variables: all that is known of one. */
export interface Variable {
  readonly type: keyof TypeValues
  readonly section: string
  readonly summary: string
  /** As text; `$NAME` stands for the value of another variable of the table. Absent: undefined when not set. */
  readonly default?: string
  readonly required?: true
  /** What those who only look find instead of a required one that is wrong. */
  readonly standIn?: string
  /** What is wrong is replaced by the default for changes, too: it only says how long or how often something is done. */
  readonly defaultIfWrong?: true
  /** For `choice`. */
  readonly choices?: readonly string[]
  /** For `choice`: the name of an npm package is allowed, too. */
  readonly orPackage?: true
  /** For `text` that becomes a part of a database URL. */
  readonly form?: 'host' | 'service'
  /** For `integer` and `limit`. */
  readonly min?: number
  readonly max?: number
  /** Other spellings that are taken when it is not set itself. */
  readonly aliases?: readonly string[]
  /** A value other than the default changes nothing here: why, and what to do instead, as sentences. */
  readonly withoutEffect?: string
  /** Nothing to the manager: hooks and instances get it. */
  readonly passedOn?: true
  /** How `setting set` changes it. Absent: it does not. */
  readonly change?: VariableChange
}

export type VariableChange =
  | {
      /** What a caller must be allowed to do beside what the action needs; `admin`: of the whole manager. */
      readonly needs: readonly Ability[]
      /** From when on another value holds: the next start of the instance, or now. */
      readonly from: 'start' | 'now'
    }
  /** Why not, as a sentence. */
  | { readonly not: string }

const forms = {
  host: {
    // PostgreSQL takes the folder of its socket, too.
    takes: (text: string) => isIP(text) !== 0 || /^[^\s:/?#@%[\]]+$/.test(text) || isAbsolute(text),
    allowed: 'the name or address of a host such as db.example.org, without scheme, port and path',
  },
  service: {
    takes: (text: string) => /^[\w.$#-]+$/.test(text),
    allowed: 'the name of a service such as FREEPDB1',
  },
} as const

/** The type of a variable's value. */
export type ValueOf<V extends Variable> =
  | (V extends { type: 'choice'; orPackage: true }
      ? string
      : V extends { type: 'choice'; choices: readonly (infer C)[] }
        ? C
        : TypeValues[V['type']])
  | (V extends { default: string } | { required: true } ? never : undefined)

/**
 * @param text not empty
 * @returns the value, or what is allowed, as words that follow "must be".
 */
export function parseValue(
  variable: Variable,
  text: string,
): { readonly value: unknown } | { readonly allowed: string } {
  switch (variable.type) {
    case 'text': {
      const form = variable.form && forms[variable.form]
      return form === undefined || form.takes(text) ? { value: text } : { allowed: form.allowed }
    }
    case 'secret':
      return { value: new Secret(text) }
    case 'path':
      return isAbsolute(text) ? { value: withoutLastSlash(text) } : { allowed: 'an absolute path' }
    case 'true-false':
    case 'yes-no': {
      const value = { true: true, yes: true, false: false, no: false }[text.toLowerCase()]
      return value === undefined
        ? { allowed: variable.type === 'yes-no' ? '"yes" or "no"' : '"true" or "false"' }
        : { value }
    }
    case 'choice': {
      const { choices = [], orPackage = false } = variable
      if (choices.includes(text) || (orPackage && isPackageName(text))) return { value: text }
      return { allowed: `one of ${choices.join(', ')}${orPackage ? ', or the name of an npm package' : ''}` }
    }
    case 'integer': {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = variable
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      if (value >= min && value <= max) return { value }
      return {
        allowed: `a whole number${max === Number.MAX_SAFE_INTEGER ? ` of at least ${min}` : ` from ${min} to ${max}`}`,
      }
    }
    case 'limit': {
      const { min = 1, max = Number.MAX_SAFE_INTEGER } = variable
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      if (value === 0 || (value >= min && value <= max)) return { value }
      return { allowed: `0 (no limit) or a whole number from ${min} to ${max}` }
    }
    case 'url':
      return parseUrl(text)
    case 'list': {
      const parts = partsOf(text)
      return parts.includes('') ? { allowed: 'values separated by commas' } : { value: parts }
    }
    case 'networks': {
      const parts = partsOf(text)
      return parts.every(isNetwork)
        ? { value: parts }
        : { allowed: 'addresses or networks such as 127.0.0.1,10.0.0.0/8' }
    }
    case 'abilities': {
      const parts = partsOf(text)
      return parts.every((part) => abilities.some((one) => one === part))
        ? { value: parts }
        : { allowed: `some of ${abilities.join(', ')}, separated by commas` }
    }
    case 'targets': {
      const names = partsOf(text)
      return names.every(isTargetName) ? { value: names } : { allowed: allowedTargetNames }
    }
    case 'databases': {
      const types = partsOf(text)
      const known: readonly string[] = databaseTypes
      return types.every((type) => known.includes(type))
        ? { value: types }
        : { allowed: `some of ${databaseTypes.join(', ')}, separated by commas` }
    }
    case 'ports': {
      const [from = 0, to = 0] = (/^(\d{1,5})-(\d{1,5})$/.exec(text)?.slice(1) ?? []).map(Number)
      return from >= 1 && from <= to && to <= 65_535
        ? { value: { from, to } }
        : { allowed: 'a range of ports such as 10000-19999' }
    }
    case 'window': {
      const [, from = '', to = ''] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ?? []
      return from !== '' && from !== to ? { value: { from, to } } : { allowed: 'a time of day such as 22:00-05:30' }
    }
    case 'email':
      return /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text) && text.length <= 254
        ? { value: text }
        : { allowed: 'one e-mail address such as help@example.org' }
  }
}

function partsOf(text: string): readonly string[] {
  return [...new Set(text.split(',').map((part) => part.trim()))]
}

function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128)
}

function parseUrl(text: string): { readonly value: string } | { readonly allowed: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !['http:', 'https:'].includes(url.protocol) || /\s/.test(text))
    return { allowed: 'an address such as https://apps.example.org, without user, query or fragment' }
  return { value: withoutLastSlash(text) }
}

function withoutLastSlash(text: string): string {
  return text.length > 1 ? text.replace(/\/+$/, '') || '/' : text
}
