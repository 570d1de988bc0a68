import { readCondition, writeCondition, type Conditions } from './filters.js'

/** What a list shows, all of it in its address. */
export interface ListAddress {
  readonly words: string
  /** Field to sort by, `-` before it turns it round; empty: the order of the object. */
  readonly order: string
  readonly conditions: Conditions
}

/** Names of fields begin with a letter. */
const names = { words: '_q', order: '_order' }

export function readListAddress(search: string): ListAddress {
  const query = new URLSearchParams(search)
  const conditions = [...query].flatMap(([name, text]) => {
    const condition = /^[A-Za-z]/.test(name) ? readCondition(text) : undefined
    return condition ? [[name, condition] as const] : []
  })
  return {
    words: query.get(names.words) ?? '',
    order: query.get(names.order) ?? '',
    conditions: new Map(conditions),
  }
}

/** With its `?`; empty when nothing is said. */
export function writeListAddress({ words, order, conditions }: ListAddress): string {
  const query = new URLSearchParams()
  if (words !== '') query.set(names.words, words)
  if (order !== '') query.set(names.order, order)
  for (const [name, condition] of conditions) query.set(name, writeCondition(condition))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
