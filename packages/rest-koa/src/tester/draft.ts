import type { OperationName } from './operations.js'

/** How a value of a filter is compared. */
export type Operator = 'is' | 'contains' | 'starts' | 'from' | 'to' | 'empty' | 'notEmpty' | 'condition'

export interface FilterRow {
  readonly field: string
  /** Condition as it is sent. */
  readonly value: string
  /** How it was entered; absent: as the condition says. */
  readonly operator?: Operator
}

/** Everything that was entered; what an operation does not need is kept for others. */
export interface Draft {
  readonly operation: OperationName
  readonly object: string
  readonly rowId: string
  /** Values of the functional key, with commas between them. */
  readonly key: string
  /** Words of an index search. */
  readonly words: string
  readonly action: string
  /** Action by GET: its parameters are in the address. */
  readonly byGet: boolean
  /** Parameters of an action, by name. */
  readonly parameters: Readonly<Record<string, string>>
  readonly publication: string
  readonly asJson: boolean
  readonly crosstab: string
  readonly cubes: boolean
  readonly documentField: string
  readonly file: File | undefined
  readonly context: string
  readonly output: string
  readonly filters: readonly FilterRow[]
  /** A condition on several fields. */
  readonly condition: string
  readonly order: string
  /** Empty: all. */
  readonly fields: readonly string[]
  readonly page: string
  readonly pageSize: string
  /** Paging by cursor; `''` starts. */
  readonly cursor: string | undefined
  readonly inlineDocuments: boolean
  readonly inlineThumbnails: boolean
  readonly timestamps: boolean
  readonly body: string
  /** The body is entered in a form, where there is one. */
  readonly asForm: boolean
  readonly dryRun: boolean
  readonly atomic: boolean
  readonly sessionOnly: boolean
  /** Id of a background action. */
  readonly task: string
}

export const emptyDraft: Draft = {
  operation: 'search',
  object: '',
  rowId: '',
  key: '',
  words: '',
  action: '',
  byGet: false,
  parameters: {},
  publication: '',
  asJson: false,
  crosstab: '',
  cubes: false,
  documentField: '',
  file: undefined,
  context: '',
  output: '',
  filters: [],
  condition: '',
  order: '',
  fields: [],
  page: '',
  pageSize: '',
  cursor: undefined,
  inlineDocuments: false,
  inlineThumbnails: false,
  timestamps: false,
  body: '',
  asForm: false,
  dryRun: false,
  atomic: true,
  sessionOnly: false,
  task: '',
}

/** Changes what was entered; by a function where it depends on what is entered when the change is made. */
export type ChangeDraft = (changes: Partial<Draft> | ((draft: Draft) => Partial<Draft>)) => void

/** The same operation on another object: what belonged to the old one is forgotten. */
export function withObject(draft: Draft, object: string): Draft {
  if (draft.object === object) return draft
  const { operation, pageSize, output, asForm } = draft
  return { ...emptyDraft, operation, object, pageSize, output, asForm }
}
