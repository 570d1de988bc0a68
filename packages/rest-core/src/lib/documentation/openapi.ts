import type {
  AnswerDescription,
  BodyDescription,
  Content,
  OperationDescription,
  ParameterDescription,
  Schema,
  ServiceDescription,
} from './description.js'
import { guide } from './guide.js'
import { plainText } from './markdown-text.js'

/** An OpenAPI 3.1 document. */
export function toOpenApi(service: ServiceDescription): Record<string, unknown> {
  const { base, operations, schemas } = service
  const { info, tags } = infoAndTags(service)
  const paths = operationsByPath(service, toOperation)
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: base === '' ? '/' : base }],
    security: [{ basic: [] }, { bearer: [] }, { header: [] }],
    tags,
    paths,
    components: {
      schemas,
      parameters: Object.fromEntries(
        operations.flatMap(({ parameters }) =>
          parameters.flatMap((parameter) =>
            parameter.shared === undefined ? [] : [[parameter.shared, toParameter(parameter)]],
          ),
        ),
      ),
      responses: Object.fromEntries(
        operations.flatMap(({ answers }) =>
          answers.flatMap((answer) => (answer.shared === undefined ? [] : [[answer.shared, toResponse(answer)]])),
        ),
      ),
      securitySchemes: securitySchemes(service),
    },
  }
}

/** What the document and its parts are about: the same in OpenAPI and Swagger. */
export function infoAndTags(service: ServiceDescription): Record<'info' | 'tags', unknown> {
  const { title, version, objects } = service
  return {
    info: { title, version: version === '' ? '0' : version, description: guide(service) },
    tags: objects.map(({ name, help }) => ({ name, ...(help !== '' && { description: plainText(help) }) })),
  }
}

/**
 * One object per path, one operation in it per method. Operations that differ from another one by a parameter only are left out,
 * since such documents cannot describe it.
 */
export function operationsByPath<T>(
  { operations }: ServiceDescription,
  render: (operation: OperationDescription) => T,
): Record<string, Record<string, T>> {
  const paths: Record<string, Record<string, T>> = {}
  for (const operation of operations)
    if (!operation.path.includes('?'))
      (paths[operation.path] ??= {})[operation.method.toLowerCase()] = render(operation)
  return paths
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
  return {
    operationId: id,
    ...(object !== undefined && { tags: [object] }),
    summary,
    ...(text !== '' && { description: text }),
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) =>
        parameter.shared === undefined
          ? toParameter(parameter)
          : { $ref: `#/components/parameters/${parameter.shared}` },
      ),
    }),
    ...(body && { requestBody: toBody(body) }),
    responses: Object.fromEntries(
      answers.map((answer) => [
        answer.status,
        answer.shared === undefined ? toResponse(answer) : { $ref: `#/components/responses/${answer.shared}` },
      ]),
    ),
  }
}

function toParameter({ name, in: place, required, text, schema, list }: ParameterDescription): Record<string, unknown> {
  return {
    name,
    in: place,
    ...(required && { required }),
    ...(text !== '' && { description: text }),
    ...(list && { style: place === 'path' ? 'simple' : 'form', explode: list === 'repeated' }),
    schema,
  }
}

function toBody({ required, text, content }: BodyDescription): Record<string, unknown> {
  return { description: text, required, content: toContent(content) }
}

function toResponse({ text, content, headers }: AnswerDescription): Record<string, unknown> {
  return {
    description: text,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(
        headers.map(({ name, text: description, required }) => [
          name,
          { description, required, schema: { type: 'string' } },
        ]),
      ),
    }),
    ...(Object.keys(content).length > 0 && { content: toContent(content) }),
  }
}

function toContent(content: Content): Record<string, { schema: Schema }> {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))
}

function securitySchemes({ authorizationHeader }: ServiceDescription): Record<string, unknown> {
  return {
    basic: { type: 'http', scheme: 'basic', description: 'Login and password.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'A token from the login.' },
    header: {
      type: 'apiKey',
      in: 'header',
      name: authorizationHeader,
      description: 'The contents of `Authorization`, for proxies that use that header themselves.',
    },
  }
}
