import { ManagerError } from '../../errors.js'
import { isRunning } from '../domain/instance.js'
import { didYouMean } from '../domain/near-miss.js'
import { wireKeys, type WireInstance } from './wire-instance.js'

/** Filters of `list`; all that are given must hold. */
export interface InstanceFilter {
  /** A version that is there, a name with `*`, or a word in name, owner, company or custom URL. */
  readonly word?: string | undefined
  readonly version?: string | undefined
  readonly database?: string | undefined
  readonly runtime?: string | undefined
  /** What is observed; `started`: it has processes, `stopped`: it has none. */
  readonly status?: string | undefined
  /** Keys with a `-` before those that go down, separated by commas. Default: as they are given. */
  readonly order?: string | undefined
}

const searched = ['name', 'owner_email', 'firstname', 'lastname', 'company', 'custom_url'] as const

/**
 * @param versions that are there, so that a word can be one
 * @throws ManagerError ERR_USAGE for an order by what is not a key
 */
export function selectInstances(
  instances: readonly WireInstance[],
  { word, version, database, runtime, status, order }: InstanceFilter,
  versions: readonly string[],
): readonly WireInstance[] {
  const compare = order === undefined ? undefined : comparison(order)
  const tests: ((instance: WireInstance) => boolean)[] = []
  if (word !== undefined) tests.push(wordTest(word, new Set([...versions, ...instances.map((one) => one.version)])))
  if (version !== undefined) tests.push((instance) => instance.version === version)
  if (database !== undefined) tests.push((instance) => instance.database === database)
  if (runtime !== undefined) tests.push((instance) => instance.runtime === runtime)
  if (status !== undefined)
    tests.push(({ observed }) => observed === status || (isRunning(observed) ? 'started' : 'stopped') === status)
  const found = instances.filter((instance) => tests.every((test) => test(instance)))
  return compare ? found.toSorted(compare) : found
}

function wordTest(word: string, versions: ReadonlySet<string>): (instance: WireInstance) => boolean {
  if (word.includes('*')) {
    const pattern = word.replaceAll(/[^A-Za-z0-9*]/g, '\\$&').replaceAll(/\*+/g, '.*')
    const expression = new RegExp(`^${pattern}$`, 'i')
    return ({ name }) => expression.test(name)
  }
  if (versions.has(word)) return ({ version }) => version === word
  const wanted = word.toLowerCase()
  return (instance) => searched.some((key) => instance[key].toLowerCase().includes(wanted))
}

function comparison(order: string): (a: WireInstance, b: WireInstance) => number {
  const keys = order.split(',').map((text) => {
    const column = text.trim().replace(/^[-+]/, '')
    const key = wireKeys.find((known) => known === column)
    if (key === undefined)
      throw new ManagerError('ERR_USAGE', `Unknown column "${column.slice(0, 40)}" in order.`, {
        help:
          didYouMean(column, wireKeys) ??
          `Columns are ${wireKeys.join(', ')}; a "-" before a column sorts in descending order.`,
      })
    return { key, sign: text.trim().startsWith('-') ? -1 : 1 }
  })
  const { compare } = new Intl.Collator('en', { numeric: true })
  return (a, b) => {
    for (const { key, sign } of [...keys, { key: 'name' as const, sign: 1 }]) {
      const difference = compare(String(a[key]), String(b[key]))
      if (difference !== 0) return sign * difference
    }
    return 0
  }
}
