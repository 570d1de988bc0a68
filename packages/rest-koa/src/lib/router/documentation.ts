import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  describeServiceParts,
  describeServiceSteps,
  htmlSteps,
  inTurns,
  markdownSteps,
  pageStyle,
  Shares,
  toOpenApi,
  toSwagger,
} from '@steward/rest-core'
import type { DescribeOptions, Refusal, ServiceDescription, ServiceInterface, Steps } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { send, textHeaders } from '../http/answer.js'
import { clientGone } from '../http/client-gone.js'
import { sendContent } from '../http/send-content.js'
import { mayView, viewAsHeader } from '../auth/view-as.js'
import type { OfKind } from './address.js'
import { publicBase } from './call.js'
import type { RestCall } from './call.js'
import { jsonDocument, yamlDocument } from './document-text.js'
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
  const form = forms.find(({ name }) => name === (output === 'md' ? 'markdown' : output))
  if (form && !hasLevel(level, form.since))
    throw new RestError(
      'ERR_BAD_REQUEST',
      `"_output=${form.name}" came with level ${form.since}; this application runs at level ${level}.`,
    )
  if (!form) {
    const known = forms.filter(({ since }) => hasLevel(level, since)).map(({ name }) => name)
    throw new RestError(
      'ERR_BAD_REQUEST',
      `Parameter "_output" is "${output.slice(0, 100)}"; give ${known.join(', ')}.`,
    )
  }
  const object = target.kind === 'object' ? service.model.object(target.object) : undefined
  const signal = clientGone(context)
  const release = object ? undefined : await writing.take(principal.login, { signal })
  const { type, text, headers = [] } = await write(form)
  const all = [...textHeaders(type), ...headers]
  if (typeof text === 'string') send(context, respond, 200, all, text)
  else await sendContent(context, respond, 200, all, text)

  async function write({ render }: Form): Promise<Rendered> {
    try {
      const options = { model: service.model, principal, service: interfaceOf(call), object }
      return await inTurns(render(options, context), signal)
    } catch (error) {
      throw signal.aborted ? notNow('gone') : error
    } finally {
      release?.()
    }
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
  readonly text: string | { readonly stream: Readable; readonly length: number }
  readonly headers?: readonly string[]
}

interface Form {
  readonly name: string
  readonly since: Level
  /** Others have their turn between two steps. */
  render(options: DescribeOptions, context: Context): Steps<Rendered>
}

const forms: readonly Form[] = [
  {
    name: 'markdown',
    since: '3.1',
    *render(options) {
      const text = yield* markdownSteps(yield* describeServiceSteps(options))
      return { type: 'text/markdown; charset=utf-8', text }
    },
  },
  {
    name: 'html',
    since: '3.1',
    *render(options) {
      const text = yield* htmlSteps(yield* describeServiceSteps(options))
      return { type: 'text/html; charset=utf-8', text, headers: pageHeaders }
    },
  },
  {
    name: 'openapi',
    since: '4.0',
    render: (options, context) => jsonOrYaml(options, toOpenApi, context),
  },
  {
    name: 'swagger-2.0',
    since: '4.0',
    render: (options, context) => jsonOrYaml(options, toSwagger, context),
  },
]

const pageHeaders = [
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
]

/** YAML for clients that prefer it. Of each object only texts are kept: a thousand objects take much memory. */
function* jsonOrYaml(
  options: DescribeOptions,
  render: (description: ServiceDescription) => object,
  context: Context,
): Steps<Rendered> {
  const wanted = context.accepts('application/json', 'application/yaml', 'application/x-yaml', 'text/yaml')
  const isJson = wanted === false || wanted === 'application/json' || Array.isArray(wanted)
  const text = isJson ? jsonDocument() : yamlDocument()
  const tags: unknown[] = []
  for (const part of describeServiceParts(options)) {
    const { tags: own, ...document } = render(part) as { readonly tags: readonly unknown[] }
    tags.push(...own)
    text.add(document)
    yield
  }
  text.add({ tags })
  return { type: `${isJson ? 'application/json' : wanted}; charset=utf-8`, text: text.end() }
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
