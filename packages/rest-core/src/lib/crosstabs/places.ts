import type { FieldValue } from '../fields/field-value.js'
import { compareText, compareValues } from '../filter/compare.js'
import { baseField } from '../model/model.js'
import type { CrosstabAxisModel, CrosstabPlace } from './crosstab.js'

/** A place and those that begin with it. */
export interface PlaceNode {
  readonly place: CrosstabPlace
  readonly nodes: Map<FieldValue, PlaceNode>
}

export function createPlace(place: CrosstabPlace = []): PlaceNode {
  return { place, nodes: new Map() }
}

/** The nodes on the way to a place, the total first; those that are missing are made. */
export function pathTo(root: PlaceNode, values: readonly FieldValue[]): PlaceNode[] {
  const path = [root]
  let at = root
  for (const value of values) {
    let next = at.nodes.get(value)
    if (!next) at.nodes.set(value, (next = createPlace([...at.place, value])))
    path.push((at = next))
  }
  return path
}

export function findPlace(root: PlaceNode, values: readonly FieldValue[]): PlaceNode | undefined {
  let at: PlaceNode | undefined = root
  for (const value of values) at = at?.nodes.get(value)
  return at
}

/** Orders places that differ in their last value only. */
export type PlaceComparison = (a: PlaceNode, b: PlaceNode) => number

/** All places in order, each after those that begin with it: by one comparison per field of the axis. */
export function placesInOrder(root: PlaceNode, comparisons: readonly PlaceComparison[]): PlaceNode[] {
  const places: PlaceNode[] = []
  const visit = (node: PlaceNode): void => {
    const compare = comparisons[node.place.length]
    if (compare) for (const next of [...node.nodes.values()].toSorted(compare)) visit(next)
    places.push(node)
  }
  visit(root)
  return places
}

/** Ascending, empty first. Enums follow their list, which people read, not their codes; codes that are in it no more come last. */
export function placeComparison(axis: CrosstabAxisModel): PlaceComparison {
  const compare = comparisonOf(axis)
  return (a, b) => compare(a.place.at(-1) as FieldValue, b.place.at(-1) as FieldValue)
}

function comparisonOf({ field, by }: CrosstabAxisModel): (a: FieldValue, b: FieldValue) => number {
  if (by) return (a, b) => compareText(a as string, b as string)
  const { codes } = baseField(field)
  if (!codes) return (a, b) => compareValues(a, b, field)
  const ranks = new Map([...codes.keys()].map((code, at): [FieldValue, number] => [code, at]))
  const rank = (code: FieldValue): number => (code === '' ? -1 : (ranks.get(code) ?? ranks.size))
  return (a, b) => rank(a) - rank(b) || compareText(a as string, b as string)
}
