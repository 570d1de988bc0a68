import type { ActionModel, Scope } from '../actions/action.js'
import type { FieldModel } from '../model/model.js'
import { usableActions, usableCrosstabs, usablePublications } from '../metadata/usable.js'
import type { Access } from '../rights/access.js'
import type { CrosstabModel } from '../crosstabs/crosstab.js'
import { lineOrderNames } from '../crosstabs/line-order.js'
import { answer, errors, header, jsonContent, pageLinks, writtenHeaders } from './answers.js'
import { crosstabCubes, crosstabTable } from './crosstab-schemas.js'
import { reference } from './description.js'
import type { BodyDescription, ParameterDescription, Schema } from './description.js'
import { exactly } from './general-schemas.js'
import { plainText } from './markdown-text.js'
import { names } from './parameters.js'
import { idempotencyKey } from './parts.js'
import type { Describe, OperationContents } from './parts.js'
import type { Route, ServiceOperation } from './service-interface.js'

/** Operations that a definition gives a name: actions, publications, pivot tables. */
export const namedOperations = {
  action: (access, route, has) =>
    usableActions(access)
      .filter(({ scope }) => fits(scope, route))
      .map((action) => describeAction(access, action, route, isGlobal(route) && has('_count'))),

  publication: (access, route, has) =>
    usablePublications(access)
      .filter(({ scope }) => fits(scope, route))
      .map(({ name, label, scope, mime, definition }) => ({
        id: `publication-${name}${suffix(scope, route, 'GET')}`,
        named: name,
        summary: `Publication: ${plainText(label)}`,
        text: plainText(definition.help ?? ''),
        filtered: isGlobal(route),
        answers: [
          answer(
            'The document; as JSON with `_output=json`, or if only JSON is accepted.',
            {
              [mime]: isText(mime) ? { type: 'string' } : {},
              ...jsonContent(mime === 'application/json' ? {} : publicationSchema(isGlobal(route) && has('_count'))),
            },
            [header('Content-Disposition', 'Name of the file.', false)],
          ),
          ...errors(404),
        ],
      })),

  crosstab: (access, _route, has) =>
    usableCrosstabs(access).map((crosstab) => ({
      id: `crosstab-${crosstab.name}`,
      named: crosstab.name,
      summary: `Pivot table: ${plainText(crosstab.label)}`,
      text: plainText(crosstab.definition.help ?? ''),
      filtered: true,
      parameters: [lineOrder(crosstab)],
      answers: [
        answer(
          `The table; with \`_crosstabcubes=true\` its cells${has('_count') ? ', with `_count=true` the number of its lines' : ''}.`,
          jsonContent({
            anyOf: [
              crosstabTable(crosstab),
              crosstabCubes(crosstab),
              ...(has('_count') ? [reference('rest.Count')] : []),
            ],
          }),
          has('_page') ? [pageLinks] : [],
        ),
        ...errors(),
      ],
    })),
} satisfies Partial<Record<ServiceOperation, Describe>>

/** What the lines of a pivot table can be sorted by, in place of fields. */
function lineOrder(crosstab: CrosstabModel): ParameterDescription {
  return {
    name: '_order',
    in: 'query',
    required: false,
    text: 'Lines or values to sort the lines by, `-` before a name turns it round.',
    ...names(lineOrderNames(crosstab).flatMap((name) => [name, `-${name}`])),
  }
}

/** In JSON; a global one also gives the number of its records. */
function publicationSchema(isCounted: boolean): Schema {
  const publication = reference('rest.Publication')
  return isCounted ? { anyOf: [publication, reference('rest.Count')] } : publication
}

function describeAction(access: Access, action: ActionModel, route: Route, isCounted: boolean): OperationContents {
  const { name, label, scope, parameters, definition } = action
  const post = route.method === 'POST'
  const result = exactly({ result: {} })
  const done = answer(
    isCounted ? 'The result of the action; with `_count=true` the number of records.' : 'The result of the action.',
    jsonContent(isCounted ? { anyOf: [result, reference('rest.Count')] } : result),
    writtenHeaders,
  )
  const begun = answer(
    'The action has started and continues in the background.',
    jsonContent(reference('rest.Task')),
    [header('Location', 'Address of its status.')],
    202,
  )
  return {
    id: `action-${name}${suffix(scope, route, 'POST')}`,
    named: name,
    summary: `Action: ${plainText(label)}`,
    text: plainText(definition.help ?? ''),
    filtered: isGlobal(route),
    parameters: post ? (definition.background ? [] : [idempotencyKey]) : parameters.map(inQuery),
    ...(post && { body: parametersBody(parameters) }),
    // A dry run waits for the end, too.
    answers: [done, ...(definition.background ? [begun] : []), ...errors(404, 409, ...(post ? [413, 415] : []))],
  }
}

/** Record-level ones need a row, global ones must have none. */
function fits(scope: Scope, route: Route): boolean {
  return scope === 'both' || (scope === 'global') === isGlobal(route)
}

function isGlobal({ path }: Route): boolean {
  return !path.includes('{row_id}')
}

/** Keeps ids apart where there are several addresses or methods. */
function suffix(scope: Scope, route: Route, plain: Route['method']): string {
  const where = scope === 'both' && isGlobal(route) ? '-all' : ''
  return route.method === plain ? where : `${where}-${route.method.toLowerCase()}`
}

function parametersBody(parameters: readonly FieldModel[]): BodyDescription {
  const members = parameters.map((parameter) => [
    mustBeGiven(parameter) ? parameter.name : `${parameter.name}?`,
    schemaOf(parameter),
  ])
  const schema = exactly(Object.fromEntries(members) as Record<string, Schema>)
  return {
    // They may be in the address, too.
    required: false,
    text: 'Parameters by name; `application/x-www-form-urlencoded` is taken, too.',
    content: jsonContent(schema),
  }
}

function inQuery(parameter: FieldModel): ParameterDescription {
  const { name, label } = parameter
  const schema = schemaOf(parameter)
  return {
    name,
    in: 'query',
    required: mustBeGiven(parameter),
    text: plainText(parameter.definition.help ?? label),
    schema,
    ...(schema['type'] === 'array' && { list: 'repeated' as const }),
  }
}

function schemaOf(parameter: FieldModel): Schema {
  const { help } = parameter.definition
  return {
    ...parameter.type.jsonSchema(parameter),
    title: parameter.label,
    ...(help && { description: plainText(help) }),
  }
}

function mustBeGiven({ required, type, definition }: FieldModel): boolean {
  return required && type.empty !== false && definition.default === undefined
}

function isText(mime: string): boolean {
  return /^text\/|[/+](?:json|xml)\b/.test(mime)
}
