import { parseFilterExpression } from '../filter/parse.js'
import type { Model, ObjectModel } from '../model/model.js'
import { letterOf, type GrantData } from '../rights/create-rights.js'
import { administratorGroup } from '../system/administrator.js'
import type { LintFinding } from './finding.js'
import { scannedField } from './indexes.js'
import { applicationObjects } from './lint-model.js'
import type { GrantedRights, GroupGrant } from './read-grants.js'

/** Looks for grants that open more than meant, name what is not there any more, or make each request read a whole table. */
export function lintGrants(model: Model, rights: GrantedRights): LintFinding[] {
  // Members of the group of administrators may do everything, whatever its grants say.
  const grants = rights.grants.filter(({ group }) => group !== administratorGroup)
  return [
    ...grants.flatMap((grant) => [
      ...unknownNames(model, grant),
      ...allObjects(grant),
      ...filterFindings(model, grant),
      ...widened(grant, grants),
    ]),
    ...publicRights(rights),
    ...unknownGroups(model, rights),
  ]
}

function targetsOf({ objects }: Model, { object }: GrantData): readonly ObjectModel[] {
  if (object === '*') return [...objects.values()]
  return [objects.get(object) ?? []].flat()
}

function titleOf({ group, object }: GroupGrant): string {
  return `The grant of group ${group} on ${object === '*' ? 'all objects' : object}`
}

/** Names are checked when a grant is written; what they name may be renamed or removed later. */
function unknownNames(model: Model, grant: GroupGrant): LintFinding[] {
  const rule = 'grant-unknown-name'
  const title = titleOf(grant)
  const objects = targetsOf(model, grant)
  if (objects.length === 0)
    return [
      {
        rule,
        severity: 'warning',
        message: `${title} is for an object that does not exist; the next object of that name would get it. Delete the grant.`,
      },
    ]
  const fields = (grant.hidden ?? []).filter((name) => !objects.some((object) => object.field(name)))
  const hidden = fields.map((name): LintFinding => ({
    rule,
    severity: 'error',
    message: `${title} hides field "${name}", which does not exist, so each request of the group for it fails. Correct the name.`,
  }))
  const kinds = (['actions', 'publications', 'crosstabs'] as const).flatMap((kind) =>
    (grant[kind] ?? [])
      .filter((name) => !objects.some((object) => object[kind].has(name)))
      .map((name): LintFinding => ({
        rule,
        severity: 'warning',
        message: `${title} names "${name}" in ${kind}, which does not exist. Correct or remove the name.`,
      })),
  )
  return [...hidden, ...kinds]
}

function allObjects(grant: GroupGrant): LintFinding[] {
  if (grant.object !== '*' || grant.letters === '') return []
  const writes = /[CUD]/.test(grant.letters)
  return [
    {
      rule: 'grant-all-objects',
      severity: 'warning',
      message: `${titleOf(grant)} (${grant.letters}) includes the system objects: users, groups and grants ${writes ? 'can be changed' : 'can be read'}, as far as the application does not forbid it. Grant the objects that are needed one by one.`,
    },
  ]
}

function filterFindings(model: Model, grant: GroupGrant): LintFinding[] {
  const { filter: text } = grant
  if (text === undefined) return []
  return targetsOf(model, grant).flatMap((object): LintFinding[] => {
    try {
      const field = scannedField(object, parseFilterExpression(object, text, { LOGIN: 'login', USERID: '1' }))
      if (!field) return []
      return [
        {
          rule: 'slow-filter',
          severity: 'warning',
          message: `${titleOf(grant)} makes each request of the group read all records of ${object.name}: ${text} cannot use an index on ${field.name}. Give the field an index, or compare it without a wildcard at the start.`,
          object: object.name,
          path: ['fields', field.path[0]?.name ?? field.name],
        },
      ]
    } catch (error) {
      return [
        {
          rule: 'grant-unknown-name',
          severity: 'error',
          message: `${titleOf(grant)} has a row filter that cannot be read, so each request of the group for ${object.name} fails: ${(error as Error).message} Correct the filter.`,
        },
      ]
    }
  })
}

/** Grants of a group add up: what one limits, another one can open. */
function widened(grant: GroupGrant, grants: readonly GroupGrant[]): LintFinding[] {
  const others = grants.filter(
    (other) =>
      other !== grant && other.group === grant.group && (other.object === '*' || other.object === grant.object),
  )
  const opened = (limits: string, letters: readonly string[], { object }: GroupGrant): LintFinding => ({
    rule: 'grant-widened',
    severity: 'error',
    message: `${limits} of group ${grant.group} on ${grant.object} has no effect for ${letters.join('')}: the grant on ${object === '*' ? 'all objects' : object} of the same group opens it again. Limit that one, too, or remove it.`,
  })
  return others.flatMap((other) => {
    const findings: LintFinding[] = []
    const both = [...grant.letters].filter((letter) => other.letters.includes(letter))
    if (grant.filter !== undefined && other.filter === undefined && both.length > 0)
      findings.push(opened('The row filter', both, other))
    const shown = (grant.hidden ?? []).filter((field) => !other.hidden?.includes(field))
    const seen = both.filter((letter) => 'CRU'.includes(letter))
    if (shown.length > 0 && seen.length > 0) findings.push(opened(`Hiding ${shown.join(', ')}`, seen, other))
    for (const kind of ['actions', 'publications', 'crosstabs'] as const) {
      const letter = letterOf[kind]
      if (grant[kind] !== undefined && other[kind] === undefined && both.includes(letter))
        findings.push(opened(`The list of ${kind}`, [letter], other))
    }
    return findings
  })
}

function publicRights({ publicUser, grants }: GrantedRights): LintFinding[] {
  if (!publicUser) return []
  const { login, groups } = publicUser
  if (groups.includes(administratorGroup))
    return [
      {
        rule: 'public-rights',
        severity: 'error',
        message: `Calls without credentials run as "${login}", which is in the group ${administratorGroup}: every caller may do everything. Take the user out of the group.`,
      },
    ]
  return grants
    .filter(({ group, letters }) => groups.includes(group) && /[CUD]/.test(letters))
    .map((grant) => ({
      rule: 'public-rights',
      severity: /[UD]/.test(grant.letters) ? 'error' : 'warning',
      message: `${titleOf(grant)} lets calls without credentials, which run as "${login}", ${verbsOf(grant.letters)} records. Move it to another group, or take the user out of this one.`,
    }))
}

function verbsOf(letters: string): string {
  const verbs = { C: 'create', U: 'update', D: 'delete' }
  return Object.entries(verbs)
    .filter(([letter]) => letters.includes(letter))
    .map(([, verb]) => verb)
    .join(', ')
}

/** Names of groups in definitions; only administrators may do what is for groups that do not exist. */
function unknownGroups({ objects }: Model, { groups }: GrantedRights): LintFinding[] {
  return applicationObjects(objects).flatMap((object) => {
    const { definition } = object
    const named: (readonly [groups: readonly string[] | undefined, path: readonly string[], what: string])[] = [
      ...(definition.states?.transitions ?? []).map(
        ({ groups: own, to }) => [own, ['states'], `the transition to "${to}"`] as const,
      ),
      ...(['actions', 'publications', 'crosstabs'] as const).flatMap((kind) =>
        Object.entries(definition[kind] ?? {}).map(
          ([name, part]) => [part.groups, [kind, name], `"${name}" of its ${kind}`] as const,
        ),
      ),
    ]
    return named.flatMap(([own = [], path, what]) =>
      own
        .filter((group) => group !== administratorGroup && !groups.includes(group))
        .map((group): LintFinding => ({
          rule: 'unknown-group',
          severity: 'warning',
          message: `${object.name} keeps ${what} to the group "${group}", which does not exist. Correct the name, or make the group.`,
          object: object.name,
          path,
        })),
    )
  })
}
