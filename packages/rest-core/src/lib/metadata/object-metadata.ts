import type { ActionModel, Scope } from '../actions/action.js'
import type { CrosstabModel } from '../crosstabs/crosstab.js'
import { describeAxis, describeValue } from '../crosstabs/crosstab-forms.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { PublicationModel } from '../publications/publication.js'
import { accessOf } from '../rights/access.js'
import type { Access } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import { initialState } from '../service/input.js'
import { mayUse } from '../service/states.js'
import type { MetadataContext } from './context.js'
import { fieldsMetadata, parametersMetadata } from './fields.js'
import type {
  ActionMetadata,
  AreaMetadata,
  CrosstabMetadata,
  LinkMetadata,
  ObjectMetadata,
  PublicationMetadata,
  StatesMetadata,
} from './metadata.js'
import { usableActions, usableCrosstabs, usablePublications } from './usable.js'

/** What is known beyond the definition and the rights: of one record, and what guards of hooks say. */
export interface KnownRecord {
  readonly record?: BusinessRecord
  /** The user may update and delete it. */
  readonly update?: boolean
  readonly del?: boolean
  /** Whether the action can run now. */
  readonly runs?: (action: ActionModel) => boolean
}

/**
 * The structure of an object, as this user may see it: hidden fields are left out, and so are links, actions, transitions,
 * pivot tables and publications that the user may not use.
 *
 * @throws RestError ERR_RIGHT when the user may not read the object.
 */
export function objectMetadata(
  principal: Principal,
  object: ObjectModel,
  context: MetadataContext,
  known: KnownRecord = {},
): ObjectMetadata {
  const access = accessOf(principal, object)
  access.need('R')
  const { name, label, pluralLabel, definition, readOnly } = object
  const writes = (letter: 'C' | 'U' | 'D'): boolean => !readOnly && access.may(letter)
  const { record, runs = () => true } = known
  const fits = ({ scope }: { scope: Scope }): boolean => record === undefined || scope !== 'global'
  const publications = usablePublications(access).filter(fits)
  const update = writes('U') && known.update !== false
  return {
    id: name,
    name,
    label,
    plurallabel: pluralLabel,
    help: definition.help ?? '',
    icon: definition.icon ?? '',
    rowidfield: 'row_id',
    template: '',
    create: writes('C'),
    update,
    del: writes('D') && known.del !== false,
    copy: writes('C'),
    export: true,
    print: publications.length > 0,
    updateAll: writes('U'),
    readonly: readOnly,
    indexable: access.searchesIndex,
    areas: areasOf(object),
    states: statesOf(access, principal, update, record),
    fields: fieldsMetadata(access, context),
    links: linksOf(principal, object),
    actions: usableActions(access)
      .filter(runs)
      .map((action) => describeAction(object, action)),
    crosstabs: usableCrosstabs(access).map((crosstab) => describeCrosstab(object, crosstab)),
    publications: publications.map((publication) => describePublication(object, publication)),
  }
}

/** The transitions that the user may use; of a record those from the state that it is in. */
function statesOf(
  access: Access,
  principal: Principal,
  update: boolean,
  record: BusinessRecord | undefined,
): StatesMetadata | null {
  const { object } = access
  const { state: field, definition } = object
  if (!field || !field.visible || access.hides(field)) return null
  const state = (record?.[field.name] ?? null) as string | null
  const transitions = (definition.states?.transitions ?? [])
    .filter((transition) => update && mayUse(transition, principal))
    .map(({ from, to }) => ({ from: [from].flat(), to }))
    .filter(({ from }) => record === undefined || from.includes(state ?? ''))
  return { field: field.name, initial: initialState(field), state, transitions }
}

/** Without areas of its own an object has one, of its name. */
function areasOf({ name, label, definition: { areas = { [name]: label } } }: ObjectModel): AreaMetadata[] {
  return Object.entries(areas).map(([area, text], index) => ({
    id: `${name}.${area}`,
    name: area,
    label: text,
    order: index + 1,
  }))
}

function linksOf(principal: Principal, { referencedBy }: ObjectModel): LinkMetadata[] {
  return referencedBy
    .filter(({ object, field }) => {
      const access = accessOf(principal, object)
      return field.visible && access.may('R') && !access.hides(field)
    })
    .map(({ object, field }) => ({
      id: `${object.name}.${field.name}`,
      name: `${object.name}.${field.name}`,
      label: object.pluralLabel,
      object: object.name,
      field: field.name,
      onDelete: field.onDelete,
    }))
}

function describeAction(
  object: ObjectModel,
  { name, label, scope, parameters, definition }: ActionModel,
): ActionMetadata {
  return {
    id: `${object.name}.${name}`,
    name,
    label,
    help: definition.help ?? '',
    scope,
    confirm: definition.confirm ?? '',
    background: definition.background ?? false,
    parameters: parametersMetadata(parameters),
  }
}

function describePublication(
  object: ObjectModel,
  { name, label, scope, mime, definition }: PublicationModel,
): PublicationMetadata {
  const { help = '', format } = definition
  return { id: `${object.name}.${name}`, name, label, help, scope, format, mime }
}

function describeCrosstab(
  object: ObjectModel,
  { name, label, lines, columns, values, definition }: CrosstabModel,
): CrosstabMetadata {
  return {
    id: `${object.name}.${name}`,
    name,
    label,
    help: definition.help ?? '',
    lines: lines.map(describeAxis),
    columns: columns.map(describeAxis),
    values: values.map(describeValue),
  }
}
