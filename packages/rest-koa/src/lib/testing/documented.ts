import { basic, createCaller } from './caller.js'
import type { CheckAnswer } from './caller.js'
import { createConformance } from './conformance.js'
import type { Conformance } from './conformance.js'

/**
 * Checks every answer against the OpenAPI document that the service gives to the user who asked: the status and the
 * headers must be documented, the body must fit its schema. Who has no document (wrong credentials) is only given errors,
 * as the document of `ann` says.
 */
export function checkDocumented(base: string): CheckAnswer {
  const call = createCaller(base, 'ann')
  const documents = new Map<string, Promise<Conformance | undefined>>()
  const known = (authorization: string): Promise<Conformance | undefined> => {
    let document = documents.get(authorization)
    if (!document) documents.set(authorization, (document = read(authorization)))
    return document
  }
  const read = async (authorization: string): Promise<Conformance | undefined> => {
    const headers: Record<string, string> = authorization === '' ? {} : { authorization }
    const { status, json } = await call('GET', '/_doc?_output=openapi', { headers, user: null })
    return status === 200 ? createConformance(json) : undefined
  }

  return async (request, answer) => {
    const conformance = (await known(request.headers['authorization'] ?? '')) ?? (await known(basic('ann', 'ann')))
    if (!conformance) throw new Error('The service gives no OpenAPI document.')
    const wrong = conformance.check(request, answer)
    if (wrong !== undefined)
      throw new Error(`${request.method} ${request.path.slice(0, 300)} does not fit the documentation: ${wrong}`)
  }
}
