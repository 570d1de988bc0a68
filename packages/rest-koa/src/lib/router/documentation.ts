import { createHash } from 'node:crypto'
import { describeService, pageStyle, toHtml, toMarkdown, toOpenApi, toSwagger } from '@steward/rest-core'
import type { ServiceDescription, ServiceInterface } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { stringify } from 'yaml'
import { send, textHeaders } from '../http/answer.js'
import { mayView, viewAsHeader } from '../auth/view-as.js'
import type { OfKind } from './address.js'
import { publicBase } from './call.js'
import type { RestCall } from './call.js'
import { hasLevel } from './level.js'
import type { Level } from './level.js'
import { parameters } from './parameters.js'
import type { RequestQuery } from './read-query.js'
import { routesAt } from './routes.js'

/** Documentation of one object, or of the whole service. Source: docs/spec/wire-decisions.md, "documentation". */
export function documentation(call: RestCall, target: OfKind<'object' | 'info'>, { own }: RequestQuery): void {
  const { context, service, principal, respond, level } = call
  const { _output: output = 'markdown' } = own
  const render = forms.find(({ name }) => name === (output === 'md' ? 'markdown' : output))
  if (render && !hasLevel(level, render.since))
    throw new RestError(
      'ERR_BAD_REQUEST',
      `"_output=${render.name}" came with level ${render.since}; this application runs at level ${level}.`,
    )
  if (!render) {
    const known = forms.filter(({ since }) => hasLevel(level, since)).map(({ name }) => name)
    throw new RestError(
      'ERR_BAD_REQUEST',
      `Parameter "_output" is "${output.slice(0, 100)}"; give ${known.join(', ')}.`,
    )
  }
  const object = target.kind === 'object' ? service.model.object(target.object) : undefined
  const description = describeService({ model: service.model, principal, service: interfaceOf(call), object })
  const { type, text, headers = [] } = render.render(description, context)
  send(context, respond, 200, [...textHeaders(type), ...headers], text)
}

interface Rendered {
  readonly type: string
  readonly text: string
  readonly headers?: readonly string[]
}

const forms: readonly {
  readonly name: string
  readonly since: Level
  render(description: ServiceDescription, context: Context): Rendered
}[] = [
  {
    name: 'markdown',
    since: '3.1',
    render: (description) => ({ type: 'text/markdown; charset=utf-8', text: toMarkdown(description) }),
  },
  {
    name: 'html',
    since: '3.1',
    render: (description) => ({ type: 'text/html; charset=utf-8', text: toHtml(description), headers: pageHeaders }),
  },
  { name: 'openapi', since: '4.0', render: (description, context) => jsonOrYaml(toOpenApi(description), context) },
  { name: 'swagger-2.0', since: '4.0', render: (description, context) => jsonOrYaml(toSwagger(description), context) },
]

const pageHeaders = [
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
]

/** YAML for who prefers it. */
function jsonOrYaml(document: object, context: Context): Rendered {
  const wanted = context.accepts('application/json', 'application/yaml', 'application/x-yaml', 'text/yaml')
  return wanted === false || wanted === 'application/json' || Array.isArray(wanted)
    ? { type: 'application/json; charset=utf-8', text: JSON.stringify(document) }
    : { type: `${wanted}; charset=utf-8`, text: stringify(document, { aliasDuplicateObjects: false }) }
}

const interfaces = new Map<Level, Pick<ServiceInterface, 'routes' | 'parameters'>>()

function interfaceOf(call: RestCall): ServiceInterface {
  const { app, level } = call
  let known = interfaces.get(level)
  if (!known) {
    const there = Object.entries(parameters).filter(([, { since }]) => hasLevel(level, since))
    known = { routes: routesAt(level), parameters: there.map(([name, parameter]) => ({ name, ...parameter })) }
    interfaces.set(level, known)
  }
  return {
    title: app.title ?? app.name,
    version: app.version ?? '',
    base: publicBase(call),
    level,
    authorizationHeader: `X-${app.authorizationHeader ?? 'Steward'}-Authorization`,
    ...known,
    ...(call.offersView && { viewAs: { header: viewAsHeader, on: mayView } }),
  }
}
