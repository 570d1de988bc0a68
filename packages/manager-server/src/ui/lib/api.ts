import { apiAddress, type ApiParameters } from './addresses.js'
import type { Answer, FailureBody } from './answer.js'
import { ask } from './ask.js'
import { reached } from './connection.js'

/** What the API refused, or why it could not be asked. */
export class ApiFailure extends Error {
  /** HTTP status; 0: no answer. */
  readonly status: number
  readonly code: string
  /** What did not work; with it, `message` says the same at length. */
  readonly title: string | undefined
  /** The line that says why. */
  readonly reason: string | undefined
  /** The result. */
  readonly ending: string | undefined
  readonly help: string | undefined
  /** What to try on the server, without the program's name. */
  readonly command: string | undefined
  readonly output: string | undefined
  readonly operation: string | undefined

  constructor(status: number, body: FailureBody) {
    const { code = 'ERR_NETWORK', message, title, cause, ending, help, command, output, operation } = body
    super(message)
    this.name = 'ApiFailure'
    this.status = status
    this.code = code
    this.title = title
    this.reason = cause
    this.ending = ending
    this.help = help
    this.command = command
    this.output = output
    this.operation = operation
  }
}

export interface ApiOptions {
  readonly signal?: AbortSignal | undefined
  /** Inputs that may be secrets: they are not in the address, which is logged. */
  readonly hidden?: Readonly<Record<string, string>>
}

/** @throws ApiFailure */
export async function api<T extends object>(
  action: string,
  parameters: ApiParameters = {},
  { signal, hidden = {} }: ApiOptions = {},
): Promise<Answer & T> {
  let response: Response
  let body: Answer & T & FailureBody
  try {
    const inputs = new URLSearchParams(hidden).toString()
    response = await ask(apiAddress(action, parameters), {
      ...(signal && { signal }),
      ...(inputs !== '' && { headers: { 'X-Manager-Input': inputs } }),
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
