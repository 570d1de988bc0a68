import type { ObjectModel, ReferenceModel } from '@steward/rest-core'

/**
 * What the database does by itself with the rows that refer to a deleted one. It refuses rules by which a table could be
 * reached on two ways, or from itself: those references are `no action` there, and `deleteRow` does what they want.
 */
export interface ReferenceRules {
  isOwn(reference: ReferenceModel): boolean
}

const known = new WeakMap<ObjectModel, ReferenceRules>()

/** The rules of all objects that are connected with this one; the same whichever of them is asked. */
export function rulesFor(object: ObjectModel): ReferenceRules {
  let rules = known.get(object)
  if (!rules) {
    const objects = connected(object)
    const native = nativeReferences([...objects].flatMap(({ references }) => references))
    rules = { isOwn: (reference) => reference.onDelete !== 'refuse' && !native.has(nameOf(reference)) }
    for (const each of objects) known.set(each, rules)
  }
  return rules
}

function connected(object: ObjectModel): ReadonlySet<ObjectModel> {
  const found = new Set([object])
  for (const each of found) {
    for (const { target } of each.references) found.add(target)
    for (const { object: other } of each.referencedBy) found.add(other)
  }
  return found
}

/** One after the other, in an order that does not depend on the definitions', as long as no table is reached twice. */
function nativeReferences(references: readonly ReferenceModel[]): ReadonlySet<string> {
  const acting = new Map(
    references.filter(({ onDelete }) => onDelete !== 'refuse').map((reference) => [nameOf(reference), reference]),
  )
  const native: ReferenceModel[] = []
  for (const [, reference] of [...acting].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    native.push(reference)
    const targets = new Set(native.map(({ target }) => target.table))
    if ([...targets].some((table) => reachesTwice(table, native))) native.pop()
  }
  return new Set(native.map(nameOf))
}

function reachesTwice(start: string, references: readonly ReferenceModel[]): boolean {
  const reached = new Set([start])
  const pending = [start]
  for (const table of pending) {
    for (const { object, target, onDelete } of references) {
      if (target.table !== table) continue
      if (reached.has(object.table)) return true
      reached.add(object.table)
      if (onDelete === 'cascade') pending.push(object.table)
    }
  }
  return false
}

/** Objects may share a table. */
function nameOf({ object, column }: ReferenceModel): string {
  return `${object.table}\0${column}`
}
