import { createHash } from 'node:crypto'
import {
  describeServiceSteps,
  htmlSteps,
  inTurns,
  markdownSteps,
  openApiSteps,
  pageStyle,
  Shares,
  swaggerSteps,
} from '@steward/rest-core'
import type { DescribeOptions, Refusal, ServiceDescription, ServiceInterface, Steps } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { send, textHeaders } from '../http/answer.js'
import { clientGone } from '../http/client-gone.js'
import { mayView, viewAsHeader } from '../auth/view-as.js'
import type { OfKind } from './address.js'
import { publicBase } from './call.js'
import type { RestCall } from './call.js'
import { jsonSteps, yamlSteps } from './document-text.js'
import { hasLevel } from './level.js'
import type { Level } from './level.js'
import { parameters } from './parameters.js'
import type { RequestQuery } from './read-query.js'
import { routesAt } from './routes.js'

/** Documentation of one object, or of the whole service. Source: docs/spec/wire-decisions.md, "documentation". */
export async function documentation(
  call: RestCall,
  target: OfKind<'object' | 'info'>,
  { own }: RequestQuery,
): Promise<void> {
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
  const signal = clientGone(context)
  const release = object ? undefined : await writing.take(principal.login, { signal })
  try {
    const options = { model: service.model, principal, service: interfaceOf(call), object }
    const { type, text, headers = [] } = await inTurns(rendered(options, render, context), signal)
    send(context, respond, 200, [...textHeaders(type), ...headers], text)
  } catch (error) {
    throw signal.aborted ? notNow('gone') : error
  } finally {
    release?.()
  }
}

/** Documents of whole services, one after the other: that of a thousand objects takes much memory. */
const writing = new Shares({ total: 1, perUser: 1, maxWaitingPerUser: 10, waitMs: 60_000, refuse: notNow })

function notNow(reason: Refusal): RestError {
  const text =
    reason === 'gone'
      ? 'The client no longer waits for the documentation.'
      : 'Other documents of the service are being written. Try again.'
  return new RestError('ERR_UNAVAILABLE', text, { retryAfterSeconds: 10 })
}

interface Rendered {
  readonly type: string
  readonly text: string
  readonly headers?: readonly string[]
}

interface Form {
  readonly name: string
  readonly since: Level
  /** Others have their turn between two steps. */
  render(description: ServiceDescription, context: Context): Steps<Rendered>
}

function* rendered(options: DescribeOptions, { render }: Form, context: Context): Steps<Rendered> {
  return yield* render(yield* describeServiceSteps(options), context)
}

const forms: readonly Form[] = [
  {
    name: 'markdown',
    since: '3.1',
    *render(description) {
      return { type: 'text/markdown; charset=utf-8', text: yield* markdownSteps(description) }
    },
  },
  {
    name: 'html',
    since: '3.1',
    *render(description) {
      return { type: 'text/html; charset=utf-8', text: yield* htmlSteps(description), headers: pageHeaders }
    },
  },
  {
    name: 'openapi',
    since: '4.0',
    *render(description, context) {
      return yield* jsonOrYaml(yield* openApiSteps(description), context)
    },
  },
  {
    name: 'swagger-2.0',
    since: '4.0',
    *render(description, context) {
      return yield* jsonOrYaml(yield* swaggerSteps(description), context)
    },
  },
]

const pageHeaders = [
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
]

/** YAML for who prefers it. */
function* jsonOrYaml(document: object, context: Context): Steps<Rendered> {
  const wanted = context.accepts('application/json', 'application/yaml', 'application/x-yaml', 'text/yaml')
  return wanted === false || wanted === 'application/json' || Array.isArray(wanted)
    ? { type: 'application/json; charset=utf-8', text: yield* jsonSteps(document) }
    : { type: `${wanted}; charset=utf-8`, text: yield* yamlSteps(document) }
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
