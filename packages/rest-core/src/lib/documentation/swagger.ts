import type {
  AnswerDescription,
  Content,
  OperationDescription,
  ParameterDescription,
  Schema,
  ServiceDescription,
} from './description.js'
import { infoAndTags, operationsByPath } from './openapi.js'
import { toSwaggerSchema } from './swagger-schema.js'

/** A Swagger 2.0 document, for tools that do not know OpenAPI 3.1. */
export function toSwagger(service: ServiceDescription): Record<string, unknown> {
  const { base, schemas, authorizationHeader } = service
  const { info, tags } = infoAndTags(service)
  const paths = operationsByPath(service, toOperation)
  const definitions = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, toSwaggerSchema(schema)]),
  )
  return {
    swagger: '2.0',
    info,
    basePath: base === '' ? '/' : base,
    security: [{ basic: [] }, { token: [] }, { header: [] }],
    securityDefinitions: {
      basic: { type: 'basic', description: 'Login and password.' },
      token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Bearer <token>`' },
      header: { type: 'apiKey', in: 'header', name: authorizationHeader, description: 'Instead of `Authorization`.' },
    },
    tags,
    paths,
    definitions,
  }
}

function toOperation({
  id,
  object,
  summary,
  text,
  parameters,
  body,
  answers,
}: OperationDescription): Record<string, unknown> {
  const [sent] = Object.entries(body?.content ?? {})
  return {
    operationId: id,
    ...(object !== undefined && { tags: [object] }),
    summary,
    ...(text !== '' && { description: text }),
    ...(sent && { consumes: [sent[0] === '*/*' ? 'application/octet-stream' : sent[0]] }),
    produces: mediaTypes(answers),
    parameters: [
      ...parameters.map(toParameter),
      ...(sent && body
        ? [
            {
              name: 'body',
              in: 'body',
              description: body.text,
              required: body.required,
              schema: sent[0] === '*/*' ? { type: 'string', format: 'binary' } : toSwaggerSchema(sent[1]),
            },
          ]
        : []),
    ],
    responses: Object.fromEntries(answers.map((answer) => [answer.status, toResponse(answer)])),
  }
}

function mediaTypes(answers: readonly AnswerDescription[]): string[] {
  const types = answers.flatMap(({ content }) => Object.keys(content))
  return [...new Set(types.map((type) => (type === '*/*' ? 'application/octet-stream' : type)))]
}

/** Parameters are simple there: arrays of simple values, else texts. */
function toParameter({ name, in: place, required, text, schema, list }: ParameterDescription): Record<string, unknown> {
  const { title: _title, readOnly: _readOnly, 'x-nullable': _nullable, ...simple } = toSwaggerSchema(schema)
  const { items } = simple as { items?: Schema }
  return {
    name,
    in: place,
    required,
    description: text,
    ...(simple['type'] === undefined || simple['type'] === 'object' ? { type: 'string' } : simple),
    // What an array holds has to have a type there.
    ...(simple['type'] === 'array' && items?.['type'] === undefined && { items: { type: 'string' } }),
    ...(list && { collectionFormat: list === 'repeated' ? 'multi' : 'csv' }),
  }
}

function toResponse({ text, content, headers }: AnswerDescription): Record<string, unknown> {
  const schema = schemaOf(content)
  return {
    description: text,
    ...(schema && { schema }),
    ...(headers.length > 0 && {
      headers: Object.fromEntries(
        headers.map(({ name, text: description }) => [name, { description, type: 'string' }]),
      ),
    }),
  }
}

/** One schema for all media types: that of JSON. */
function schemaOf(content: Content): Schema | undefined {
  const [first] = Object.keys(content)
  if (first === undefined) return undefined
  const json = content['application/json']
  return json ? toSwaggerSchema(json) : { type: 'file' }
}
