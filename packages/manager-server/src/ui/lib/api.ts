import { apiAddress, type ApiParameters } from './addresses.js'
import type { Answer, FailureBody } from './answer.js'
import { reached } from './connection.js'

/** What the API refused, or why it could not be asked. */
export class ApiFailure extends Error {
  /** HTTP status; 0: no answer. */
  readonly status: number
  readonly code: string
  readonly help: string | undefined
  /** What to try on the server, without the program's name. */
  readonly command: string | undefined
  readonly output: string | undefined
  readonly operation: string | undefined

  constructor(status: number, { code = 'ERR_NETWORK', message, help, command, output, operation }: FailureBody) {
    super(message)
    this.name = 'ApiFailure'
    this.status = status
    this.code = code
    this.help = help
    this.command = command
    this.output = output
    this.operation = operation
  }
}

/** @throws ApiFailure */
export async function api<T extends object>(
  action: string,
  parameters: ApiParameters = {},
  signal?: AbortSignal,
): Promise<Answer & T> {
  let response: Response
  let body: Answer & T & FailureBody
  try {
    // Other sites cannot add a header of their own, see the guard of the server.
    response = await fetch(apiAddress(action, parameters), {
      headers: { 'X-Manager-Request': 'ui' },
      ...(signal && { signal }),
    })
    body = (await response.json()) as typeof body
  } catch (error) {
    signal?.throwIfAborted()
    reached(false)
    throw new ApiFailure(0, { message: (error as Error).message })
  }
  reached(true)
  if (!response.ok) throw new ApiFailure(response.status, body)
  return body
}
