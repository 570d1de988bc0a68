import { ManagerError } from '../../errors.js'
import type { Json } from '../domain/json.js'
import type { FieldDescription } from './application.js'
import type { Fake } from './fake.js'
import { rangeTypes } from './fitting.js'
import { lettersOf, type AnonymisationKey } from './key.js'
import { rangeMaker } from './range.js'
import type { AnonymisationPlan, ColumnPlan } from './resolve-rules.js'
import { ruleText, type FakeKind } from './rule.js'
import { reshaped } from './shape.js'
import type { Spool } from './spool.js'

/** Makes the value that takes the place of one that is not empty. */
export type MakeValue = (value: Json) => Json

export interface MakerOptions {
  readonly plan: AnonymisationPlan
  readonly key: AnonymisationKey
  readonly spool: Spool
  /** When the plan makes values up. */
  readonly fake: Fake | undefined
}

/** Columns whose values are made in one way, so that what was equal in them stays equal. */
interface Group {
  /** No two values may become the same, because they are not in one of the columns. */
  readonly unique: boolean
  /** Characters that all of the columns take. */
  readonly limit: number
}

/** Characters of 5 bits: no two values get the same by chance. */
const enough = 24
const tagLength = 10
/** Tries for a value that is free, or fits. */
const mostTries = 2_000

/** Makers of the columns with `fake` or `hash`; the same value becomes the same in all columns of a rule. */
export function createMakers({ plan, key, spool, fake }: MakerOptions): (column: ColumnPlan) => MakeValue {
  const groups = groupsOf(plan)
  return (column) => {
    const { field, rule } = column
    if (rangeTypes.includes(field.type)) return rangeMaker(field, key)
    const [scope, purpose] = [groupOf(column), purposeOf(column)]
    const { unique, limit } = groups.get(scope) as Group
    const fit = { limit: unique ? limit : (field.length ?? Number.POSITIVE_INFINITY), unique }
    const pattern = field.pattern === undefined ? undefined : new RegExp(`^(?:${field.pattern})$`, 'v')
    return (value) => {
      const text = String(value)
      for (let attempt = 0; attempt < mostTries; attempt++) {
        const tried = `${purpose} ${attempt}`
        const seed = key.digest(tried, text)
        const made = rule.kind === 'hash' ? hashed(field, fit.limit, text, seed) : madeUp(column, fit, text, seed)
        const fitting = pattern === undefined || pattern.test(made) ? made : reshaped(text, pattern, key, tried)
        if (!unique || isLong(fitting, column) || spool.claim(scope, fitting, key.digest('input', text))) return fitting
      }
      throw new ManagerError(
        'ERR_FAILED',
        `There are too few different values for ${field.name}: it is unique and takes ${fit.limit} characters.`,
        { help: `Use shuffle or keep instead of ${ruleText(rule)}.` },
      )
    }
  }

  function madeUp({ field, rule }: ColumnPlan, { unique, limit }: Group, text: string, seed: Buffer): string {
    const letters = lettersOf(seed, tagLength)
    const made = (fake as Fake)(rule.fake as FakeKind, seed, letters, text.length)
    if (!unique || made.includes(letters) || isOfForm(field)) return cut(made, limit)
    return limit > tagLength + 1 ? `${cut(made, limit - tagLength - 1)} ${letters}` : letters.slice(0, limit)
  }
}

/** It has that many random characters that it need not be compared with all others. */
function isLong(made: string, { field }: ColumnPlan): boolean {
  return field.pattern === undefined && !isOfForm(field) && made.length >= enough
}

/** Its form leaves no room for random letters. */
function isOfForm({ type }: FieldDescription): boolean {
  return ['phone', 'color', 'geocoords'].includes(type)
}

function hashed({ type }: FieldDescription, limit: number, text: string, seed: Buffer): string {
  switch (type) {
    case 'email':
      return `${lettersOf(seed, Math.min(enough, limit - '@example.org'.length))}@example.org`
    case 'url':
      return `https://example.org/${lettersOf(seed, Math.min(enough, limit - 'https://example.org/'.length))}`
    case 'color':
      return `#${seed.toString('hex', 0, 3)}`
    case 'phone': {
      let at = 0
      return text.replaceAll(/\d/g, () => String((seed[at++ % seed.length] as number) % 10))
    }
    default:
      return lettersOf(seed, Math.min(enough, limit))
  }
}

function groupsOf({ objects }: AnonymisationPlan): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  for (const { object, dropped, columns } of objects) {
    if (dropped) continue
    for (const column of columns) {
      const { field, rule } = column
      if (rule.kind !== 'fake' && rule.kind !== 'hash') continue
      const name = groupOf(column)
      const { unique, limit } = groups.get(name) ?? { unique: false, limit: Number.POSITIVE_INFINITY }
      groups.set(name, {
        unique: unique || field.unique || object.key.includes(field.name),
        limit: Math.min(limit, field.length ?? Number.POSITIVE_INFINITY),
      })
    }
  }
  return groups
}

/** Short hashes are of the columns of one length: others need not become as short. */
function groupOf(column: ColumnPlan): string {
  const { field, rule } = column
  const own = `${purposeOf(column)}${field.pattern === undefined ? '' : ` ${field.pattern}`}`
  if (rule.kind === 'hash') return (field.length ?? enough) < enough ? `${own} ${field.length}` : own
  // Long texts name nothing, so that one column need not become unique because another one is.
  return rule.fake === 'text' && field.unique ? `${own} unique` : own
}

/** What makes the same value of the same input. */
function purposeOf({ field: { type }, rule }: ColumnPlan): string {
  if (rule.kind === 'fake') return `fake ${rule.fake}`
  return `hash ${['email', 'url', 'color', 'phone'].includes(type) ? type : 'text'}`
}

/** In characters, not in halves of them. */
function cut(text: string, limit: number): string {
  return text.length <= limit ? text : [...text].slice(0, limit).join('').trimEnd()
}
