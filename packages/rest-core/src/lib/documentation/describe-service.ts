import type { Model, ObjectModel } from '../model/model.js'
import { atOnce, type Steps } from '../steps.js'
import { accessOf } from '../rights/access.js'
import type { Access } from '../rights/access.js'
import type { Principal, RightLetter } from '../rights/rights.js'
import { describeFields } from './describe-fields.js'
import type { ObjectDescription, OperationDescription, Schema, ServiceDescription } from './description.js'
import { generalSchemas } from './general-schemas.js'
import { namedOperations } from './named-operations.js'
import { objectOperations } from './object-operations.js'
import { bodySchema, mayWrite, recordSchema, schemaNames } from './object-schemas.js'
import { filterParameters, pathParameters, queryParameters } from './parameters.js'
import { idempotencyKey, viewAsParameter } from './parts.js'
import type { Describe, OperationContents } from './parts.js'
import { recordOperations } from './record-operations.js'
import type { Route, ServiceInterface, ServiceOperation } from './service-interface.js'
import { serviceOperations } from './service-operations.js'

const onObjects: Readonly<Partial<Record<ServiceOperation, Describe>>> = {
  ...recordOperations,
  ...objectOperations,
  ...namedOperations,
}

const letters: readonly RightLetter[] = ['C', 'R', 'U', 'D', 'A']

export interface DescribeOptions {
  readonly model: Model
  readonly principal: Principal
  readonly service: ServiceInterface
  /** Only this object, and what belongs to none is left out. Default: all that the user has any right on. */
  readonly object?: ObjectModel | undefined
}

/**
 * What a service offers to a user: derived from the definitions, the user's rights and what the router says about itself, so
 * that it cannot say anything else than what holds.
 *
 * @throws RestError ERR_RIGHT when the user has no right at all on the object.
 */
export function describeService(options: DescribeOptions): ServiceDescription {
  return atOnce(describeServiceSteps(options))
}

/** As `describeService`, object by object. */
export function* describeServiceSteps(options: DescribeOptions): Steps<ServiceDescription> {
  const objects: ObjectDescription[] = []
  const operations: OperationDescription[] = []
  const schemas: Record<string, Schema> = {}
  let whole: ServiceDescription | undefined
  for (const part of describeServiceParts(options)) {
    whole ??= part
    objects.push(...part.objects)
    operations.push(...part.operations)
    Object.assign(schemas, part.schemas)
    yield
  }
  return { ...(whole as ServiceDescription), objects, operations, schemas }
}

/**
 * Descriptions that are together that of `describeService`, so that no more than one of them need be kept: first what belongs
 * to no object, then one per object.
 *
 * @throws RestError as `describeService`
 */
export function* describeServiceParts({
  model,
  principal,
  service,
  object: only,
}: DescribeOptions): Generator<ServiceDescription, void, undefined> {
  const accesses = (only ? [only] : [...model.objects.values()])
    .map((object) => accessOf(principal, object))
    .filter(({ may }) => letters.some(may))
  if (only && accesses.length === 0) accessOf(principal, only).need('R')
  const keepsAnswers = model.objects.has('IdempotencyKey')
  const { title, version, base, level, authorizationHeader, routes } = service
  const names = new Set(service.parameters.map(({ name }) => name))
  const has = (parameter: string): boolean => names.has(parameter)
  const ids = new Set<string>()
  const parameters = service.parameters.map(({ name }) => name)
  const head = { title, version, base, level, authorizationHeader, parameters }
  const ofService = only ? [] : routes.filter(({ path }) => !path.includes('{object}')).flatMap(describeServiceRoute)
  yield { ...head, objects: [], operations: withOwnIds(ofService, ids), schemas: generalSchemas }
  for (const access of accesses) {
    const operations = routes
      .filter(({ path }) => path.includes('{object}'))
      .flatMap((route) => describeRoute(access, route))
    yield {
      ...head,
      objects: [describeObject(access, principal)],
      operations: withOwnIds(operations, ids),
      schemas: Object.fromEntries(objectSchemas(access)),
    }
  }

  function describeServiceRoute(route: Route): OperationDescription[] {
    const contents = serviceOperations[route.operation]
    if (!contents) return []
    return [complete(route, undefined, contents, contents.id)]
  }

  function describeRoute(access: Access, route: Route): OperationDescription[] {
    const { name } = access.object
    const contents = [onObjects[route.operation]?.(access, route, has) ?? []].flat() as readonly OperationContents[]
    return contents.map((each) => {
      const path = route.path.replace('{object}', name).replace('{name}', encodeURIComponent(each.named ?? ''))
      return complete({ ...route, path }, access, each, `obj-${name.toLowerCase()}-${each.id}`)
    })
  }

  function complete(
    route: Route,
    access: Access | undefined,
    contents: Omit<OperationContents, 'id'>,
    id: string,
  ): OperationDescription {
    const { method, path } = route
    const { summary, text = '', parameters = [], filtered, body, answers } = contents
    const own = [...pathParameters(path, access), ...parameters.filter(({ name }) => keepsAnswers || !isKey(name))]
    const names = new Set(own.map(({ name }) => name))
    const filters = filtered && access ? filterParameters(access) : []
    return {
      id,
      object: access?.object.name,
      method,
      path,
      summary,
      text,
      parameters: [
        ...own,
        ...queryParameters(service, route, access).filter(({ name }) => !names.has(name)),
        ...filters.filter(({ name }) => !names.has(name)),
        ...(service.viewAs?.on(route.operation) ? [viewAsParameter(service.viewAs.header)] : []),
      ],
      body,
      answers,
    }
  }
}

/** The name of an action may end like what is added to the name of another; generators of clients ignore case and punctuation. */
function withOwnIds(operations: readonly OperationDescription[], known: Set<string>): OperationDescription[] {
  return operations.map((operation) => {
    let { id } = operation
    for (let next = 2; known.has(plain(id)); next++) id = `${operation.id}-${next}`
    known.add(plain(id))
    return id === operation.id ? operation : { ...operation, id }
  })
}

function plain(id: string): string {
  return id.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
}

function isKey(header: string): boolean {
  return header === idempotencyKey.name
}

function describeObject(access: Access, principal: Principal): ObjectDescription {
  const { name, label, definition } = access.object
  return { name, label, help: definition.help ?? '', fields: describeFields(access, principal) }
}

function objectSchemas(access: Access): [string, Schema][] {
  const { name } = access.object
  const schemas: [string, Schema][] = [[schemaNames.record(name), recordSchema(access)]]
  if (mayWrite(access, 'C')) schemas.push([schemaNames.create(name), bodySchema(access, 'create')])
  if (mayWrite(access, 'U')) schemas.push([schemaNames.update(name), bodySchema(access, 'update')])
  return schemas
}
