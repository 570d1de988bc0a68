import type { ApplicationDescription, FieldDescription, ObjectDescription } from './application.js'
import { fakeKindOf, rangeTypes, refusal } from './fitting.js'
import { looksPersonal, type Looks } from './personal.js'
import { createProblems, type Problems } from './problems.js'
import type { ObjectRules, Rule, Rules } from './rule.js'

/** What is done to each column. */
export interface AnonymisationPlan {
  readonly objects: readonly ObjectPlan[]
}

export interface ObjectPlan {
  readonly object: ObjectDescription
  /** Its records are not in the clone. */
  readonly dropped: boolean
  readonly columns: readonly ColumnPlan[]
}

export interface ColumnPlan {
  readonly field: FieldDescription
  /** `fake` with its kind, but for values that are made within their range. */
  readonly rule: Rule
  /** Whether the file says so: for the field, by `*`, or by `default`. */
  readonly isSaid: boolean
  readonly looks: Looks | undefined
  /** The documents that its values name are in the clone. */
  readonly keepsDocuments: boolean
}

/** Records of the system that hold copies of others, or belong to what the instance is doing now. */
const copies = ['AuditEntry', 'BackgroundTask', 'Event', 'IdempotencyKey', 'Lease', 'RevokedToken', 'WebhookDelivery']

/** @throws ManagerError ERR_SETTINGS with all mistakes: objects and fields that are not there, rules that do not fit */
export function resolveRules(rules: Rules, { objects }: ApplicationDescription): AnonymisationPlan {
  const problems = createProblems(rules.file)
  const of = new Map<ObjectDescription, ObjectRules[]>()
  for (const one of rules.objects) {
    const object = objectCalled(one.object, objects)
    if (object) of.set(object, [...(of.get(object) ?? []), one])
    else
      problems.unknown(
        one.line,
        `the object "${one.object}"`,
        one.object,
        objects.map(({ name }) => name),
      )
  }
  const login = loginRule(objects, of)
  const plan = objects.map((object) => resolveObject(object, of.get(object) ?? [], { rules, login, problems }))
  for (const { object, records, line } of rules.objects)
    if (records === 'drop') checkDrop(objectCalled(object, objects), line, plan, problems)
  problems.throwIfAny()
  return { objects: plan }
}

interface Resolving {
  readonly rules: Rules
  readonly login: Rule | undefined
  readonly problems: Problems
}

function resolveObject(
  object: ObjectDescription,
  given: readonly ObjectRules[],
  { rules, login, problems }: Resolving,
): ObjectPlan {
  const said = new Map<FieldDescription, Rule>()
  let others: Rule | undefined
  for (const { field: name, line, rule } of given.flatMap(({ fields }) => fields)) {
    if (name === '*') {
      others = rule
      continue
    }
    const field = object.fields.find((one) => one.name === name || one.column === name)
    const shown = `"${name}" of ${object.name}`
    if (!field)
      problems.unknown(
        line,
        shown,
        name,
        object.fields.map((one) => one.name),
      )
    else if (said.has(field)) problems.add(line, `${shown} has two rules`)
    else {
      said.set(field, rule)
      const why = refusal(object, field, rule)
      if (why !== undefined) problems.add(line, `${rule.kind} for ${shown} is not possible: ${why}`)
    }
  }
  const records = given.find((one) => one.records !== undefined)?.records
  return {
    object,
    dropped: (records ?? (copies.includes(object.name) ? 'drop' : 'keep')) === 'drop',
    columns: object.fields.map(columnPlan),
  }

  function columnPlan(field: FieldDescription): ColumnPlan {
    const looks = looksPersonal(object, field)
    const isUser = field.technical && field.type === 'string'
    const rule = said.get(field) ?? (isUser ? login : isLost(field) ? { kind: 'null' as const } : fallback(field))
    const own = completed(object, field, rule ?? { kind: 'keep' })
    const isWanted = rules.documents === 'keep' || said.has(field)
    const keepsDocuments = isDocument(field) && isWanted && ['keep', 'shuffle'].includes(own.kind)
    return { field, rule: own, isSaid: rule !== undefined, looks, keepsDocuments }
  }

  /** Its document is not in the clone. */
  function isLost(field: FieldDescription): boolean {
    return rules.documents === 'drop' && !field.required && isDocument(field)
  }

  /** Where it does not fit it says nothing; what the system needs is only changed by name. */
  function fallback(field: FieldDescription): Rule | undefined {
    const rule = others ?? (object.system || rules.default.kind === 'keep' ? undefined : rules.default)
    if (rule === undefined) return undefined
    if (refusal(object, field, rule) === undefined) return rule
    // Its kind is for texts; values within a range have none.
    return rule.kind === 'fake' && refusal(object, field, { kind: 'fake' }) === undefined ? { kind: 'fake' } : undefined
  }
}

function isDocument({ type }: FieldDescription): boolean {
  return type === 'document' || type === 'image'
}

/** Whether there are documents that the clone gets. */
export function keepsDocuments({ objects }: AnonymisationPlan): boolean {
  return objects.some(({ dropped, columns }) => !dropped && columns.some((column) => column.keepsDocuments))
}

/** Records that others link to cannot go without them. */
function checkDrop(
  object: ObjectDescription | undefined,
  line: number,
  plan: readonly ObjectPlan[],
  problems: Problems,
): void {
  for (const { object: other, dropped } of plan) {
    if (dropped || other === object) continue
    for (const { name, references } of other.fields)
      if (references !== undefined && references === object?.name)
        problems.add(line, `${references} cannot be dropped: ${other.name}.${name} refers to it`)
  }
}

/** By its name or, when no object is called so, by its table. */
function objectCalled(name: string, objects: readonly ObjectDescription[]): ObjectDescription | undefined {
  return objects.find((one) => one.name === name) ?? objects.find((one) => one.table === name)
}

function completed(object: ObjectDescription, field: FieldDescription, rule: Rule): Rule {
  if (rule.kind !== 'fake' || rangeTypes.includes(field.type)) return rule
  return { kind: 'fake', fake: fakeKindOf(object, field, rule) }
}

/** Who is in created_by and updated_by is called there as in `User`. */
function loginRule(
  objects: readonly ObjectDescription[],
  of: ReadonlyMap<ObjectDescription, readonly ObjectRules[]>,
): Rule | undefined {
  const user = objects.find(({ name }) => name === 'User')
  const login = user?.fields.find(({ name }) => name === 'usr_login')
  if (!user || !login) return undefined
  const rules = (of.get(user) ?? []).flatMap(({ fields }) => fields)
  const own =
    rules.find(({ field }) => field === login.name || field === login.column) ??
    rules.find(({ field }) => field === '*')
  const fits = own && refusal(user, login, own.rule) === undefined && ['fake', 'hash'].includes(own.rule.kind)
  return fits ? completed(user, login, own.rule) : undefined
}
