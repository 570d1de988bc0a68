/** What is done with the values of a column. */
export const ruleKinds = ['keep', 'null', 'fake', 'hash', 'shuffle'] as const
export type RuleKind = (typeof ruleKinds)[number]

/** What made-up values are like. */
export const fakeKinds = [
  'name',
  'firstName',
  'lastName',
  'login',
  'email',
  'phone',
  'address',
  'street',
  'zip',
  'city',
  'country',
  'place',
  'company',
  'job',
  'iban',
  'url',
  'color',
  'words',
  'text',
] as const
export type FakeKind = (typeof fakeKinds)[number]

export interface Rule {
  readonly kind: RuleKind
  /** For `fake`; absent: by the field's type and name. */
  readonly fake?: FakeKind
}

/** Where something stands in the file, from 1. */
interface Placed {
  readonly line: number
}

export interface FieldRule extends Placed {
  /** Field or column, or `*` for all others of the object. */
  readonly field: string
  readonly rule: Rule
}

export interface ObjectRules extends Placed {
  /** Object or table. */
  readonly object: string
  /** `drop`: its records are not in the clone. Absent: kept, but for records of the system that hold copies of others. */
  readonly records?: 'keep' | 'drop'
  readonly fields: readonly FieldRule[]
}

/** A file of rules. */
export interface Rules {
  /** As errors show it. */
  readonly file: string
  /** The same seed gives the same values in every clone. Absent: every clone has others. */
  readonly seed?: string
  /** Language of made-up values, as `@faker-js/faker` calls it: `en`, `fr`, `de_CH` … */
  readonly locale: string
  /** What is done to stored documents and images. */
  readonly documents: 'keep' | 'drop'
  /** For fields of the application that nothing else is said about. */
  readonly default: Rule
  readonly objects: readonly ObjectRules[]
}

/** As people write it. */
export function ruleText({ kind, fake }: Rule): string {
  return fake === undefined ? kind : `fake ${fake}`
}
