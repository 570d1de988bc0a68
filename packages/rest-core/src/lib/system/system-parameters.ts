import type { Model } from '../model/model.js'
import type { ObjectStore } from '../store.js'

export interface SystemParametersOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  /** How long a value serves before it is read again, in ms; a change by another process may go unnoticed for this long. Default 5,000. */
  readonly maxAgeMs?: number
  /** Called once for every value that cannot be used. Default: none. */
  readonly onWrongValue?: (text: string) => void
}

/**
 * Values of the system parameters (`SystemParam`) of an application. A value that cannot be used counts as not given.
 * All methods throw `StoreError` when the value must be read and the database does not answer.
 */
export interface SystemParameters {
  /** The value; `undefined` when there is none or it is empty. */
  text(code: string): Promise<string | undefined>
  /** `yes` or `no`, also `true`, `false`, `1`, `0`, in any case. */
  isYes(code: string, standard: boolean): Promise<boolean>
  /** A whole number from `min` to `max`. */
  number(
    code: string,
    options: { readonly default: number; readonly min: number; readonly max: number },
  ): Promise<number>
  /** Forgets what was read; call it when a `SystemParam` changed. */
  clear(): void
}

/**
 * Reads system parameters when they are first asked for and keeps them for some seconds, so that a change works without
 * a restart.
 *
 * @example
 * const parameters = createSystemParameters({ model, store })
 * const service = createBusinessObjects({ model, store, onChange: () => parameters.clear() })
 * await parameters.isYes('USE_API_TESTER', true)
 */
export function createSystemParameters(options: SystemParametersOptions): SystemParameters {
  const { model, store, maxAgeMs = 5000, onWrongValue = () => {} } = options
  const object = model.object('SystemParam')
  const select = object.select(['sys_value'])
  const kept = new Map<string, { readonly until: number; readonly value: Promise<string | undefined> }>()
  const told = new Map<string, string>()

  return {
    text,
    async isYes(code, standard) {
      const value = await text(code)
      if (value === undefined) return standard
      if (/^(?:yes|true|1)$/i.test(value)) return true
      if (/^(?:no|false|0)$/i.test(value)) return false
      return refuse(code, value, 'yes or no', standard)
    },
    async number(code, { default: standard, min, max }) {
      const value = await text(code)
      if (value === undefined) return standard
      const number = Number(value)
      if (/^\d{1,15}$/.test(value) && number >= min && number <= max) return number
      return refuse(code, value, `a whole number from ${min} to ${max}`, standard)
    },
    clear: () => kept.clear(),
  }

  function text(code: string): Promise<string | undefined> {
    const known = kept.get(code)
    if (known && known.until > Date.now()) return known.value
    const value = read(code)
    kept.set(code, { until: Date.now() + maxAgeMs, value })
    value.catch(() => kept.get(code)?.value === value && kept.delete(code))
    return value
  }

  async function read(code: string): Promise<string | undefined> {
    const where = { op: '=', field: 'sys_code', value: code } as const
    for await (const [record] of store.search(object, { select, where, order: object.order, limit: 1 }))
      return record && ((record['sys_value'] as string).trim() || undefined)
    return undefined
  }

  function refuse<T>(code: string, value: string, wanted: string, standard: T): T {
    if (told.get(code) !== value) {
      told.set(code, value)
      const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value
      onWrongValue(
        `System parameter ${code} is "${shown}"; give ${wanted}. Until then ${shownDefault(standard)} is used.`,
      )
    }
    return standard
  }
}

function shownDefault(standard: unknown): string {
  return typeof standard === 'boolean' ? (standard ? 'yes' : 'no') : String(standard)
}
