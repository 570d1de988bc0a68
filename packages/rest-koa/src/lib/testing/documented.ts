import { basic, createCaller } from './caller.js'
import type { CheckAnswer } from './caller.js'
import { createConformance } from './conformance.js'
import type { Conformance } from './conformance.js'

/** By the text of the document: most groups of tests serve the same one, and compiling it takes longer than they do. */
const conformances = new Map<string, Conformance>()

/**
 * Checks every answer against the OpenAPI document that the service gives to the user of the call: the status and the
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
    const { status, text, json } = await call('GET', '/_doc?_output=openapi', { headers, user: null })
    if (status !== 200) return undefined
    const conformance = conformances.get(text) ?? createConformance(json)
    conformances.set(text, conformance)
    return conformance
  }

  return async (request, answer) => {
    const conformance = (await known(request.headers['authorization'] ?? '')) ?? (await known(basic('ann', 'ann')))
    if (!conformance) throw new Error('The service gives no OpenAPI document.')
    const wrong = conformance.check(request, answer)
    if (wrong !== undefined)
      throw new Error(`${request.method} ${request.path.slice(0, 300)} does not fit the documentation: ${wrong}`)
  }
}
