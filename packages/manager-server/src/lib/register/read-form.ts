import type { IncomingMessage } from 'node:http'
import { readBody } from '../read-body.js'

/**
 * Fields of a posted form, trimmed but for those that are to be as they were typed.
 *
 * @throws HttpError 400, 413, 415
 */
export async function readForm(
  request: IncomingMessage,
  { asTyped = [] }: { readonly asTyped?: readonly string[] } = {},
): Promise<Readonly<Record<string, string>>> {
  const fields = new URLSearchParams(await readBody(request, 'application/x-www-form-urlencoded', 'The form'))
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, asTyped.includes(name) ? value : value.trim().normalize('NFC')]),
  )
}
