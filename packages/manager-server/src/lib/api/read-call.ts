import { parse, type ParsedUrlQuery } from 'node:querystring'
import { didYouMean, findAction, type Action, type Input, type InputType, type Surface } from '@steward/manager-core'
import { HttpError } from '../http-error.js'

/** What a request asks for. Inputs are not checked yet. */
export interface ApiCall {
  readonly action: Action
  readonly input: Readonly<Record<string, Input>>
  /** Answer at once with an id. */
  readonly isAsync: boolean
  readonly isDryRun: boolean
  /** How long to wait for other operations on the same instance, in ms. */
  readonly waitMs: number
  readonly prettyPrint: boolean
}

interface Declared {
  readonly name: string
  readonly type: InputType
  readonly variadic?: boolean
  readonly secret?: boolean
  readonly surfaces?: readonly Surface[]
}

/** Header with inputs that addresses must not have, encoded as in an address: `value=s3cret`. Chosen: addresses are logged. */
export const secretInputs = 'X-Manager-Input'

/**
 * Parameters of a request as inputs of its action. `name` is the first parameter that is an instance or a new name,
 * `param` the one that comes next, or the first of another type; each input also has its own name, plain or as
 * `options[<name>]`. Source: docs/spec/instances-manager.md, "HTTP API".
 *
 * @param hidden the header `secretInputs`; default: none
 * @throws HttpError 404 for an unknown action, 400 for a parameter that is unknown, given twice, or in the wrong place
 */
export function readCall(query: ParsedUrlQuery, hidden = ''): ApiCall {
  const { action: name, async: later, dryrun, wait, prettyprint, _: stamp, ...others } = query
  // Libraries of pages add a number of this name so that no cache answers.
  const rest =
    stamp === undefined || (typeof stamp === 'string' && /^\d{1,20}$/.test(stamp)) ? others : { ...others, _: stamp }
  const action = actionOf(single('action', name))
  return {
    action,
    input: { ...inputOf(action, rest, false), ...inputOf(action, parse(hidden), true) },
    isAsync: isTrue('async', later),
    isDryRun: isTrue('dryrun', dryrun),
    waitMs: secondsOf(single('wait', wait)) * 1000,
    prettyPrint: isTrue('prettyprint', prettyprint),
  }
}

function actionOf(name = 'config'): Action {
  const action = findAction(name)
  if (action && (action.surfaces ?? ['api']).includes('api')) return action
  const why = action ? 'is for the command line only' : 'is not there'
  throw new HttpError(404, 'ERR_NOT_FOUND', `The action "${shown(name)}" ${why}.`, { help: 'See action=actions.' })
}

function inputOf(action: Action, query: ParsedUrlQuery, isHidden: boolean): Readonly<Record<string, Input>> {
  const { parameters = [], options = [] } = action
  const declared = new Map<string, Declared>([...parameters, ...options].map((one) => [one.name, one]))
  const byPlace = placesOf(parameters)
  const input: Record<string, Input> = {}
  for (const [key, value] of Object.entries(query)) {
    const plain = /^options\[(.*)\]$/s.exec(key)?.[1] ?? key
    const wanted = declared.get(plain) ?? (plain === key ? byPlace.get(key) : undefined)
    if (!wanted) throw unknown(action, plain, [...declared.keys(), ...byPlace.keys()])
    if (wanted.type === 'file') throw bad(`"${plain}" is a file of the server, which only the command line takes.`)
    if ((wanted.secret ?? false) !== isHidden) throw bad(misplaced(wanted))
    if (wanted.surfaces?.includes('api') === false) throw bad(`"${plain}" is for the command line only.`)
    if (input[wanted.name] !== undefined) throw bad(`"${wanted.name}" is given twice.`)
    input[wanted.name] = wanted.variadic ? [value ?? []].flat() : single(key, value)
  }
  return input
}

function misplaced({ name, secret }: Declared): string {
  return secret
    ? `"${name}" may be a secret, and addresses are logged: send it as the header ${secretInputs}: ${name}=….`
    : `"${name}" is a parameter of the address, not of the header ${secretInputs}.`
}

/** What `name` and `param` mean. */
function placesOf(parameters: readonly Declared[]): ReadonlyMap<string, Declared> {
  const first = parameters.findIndex(({ type }) => type === 'instance' || type === 'new-name')
  const rest = parameters.filter((_, at) => at !== first)
  return new Map([
    ...(first >= 0 ? [['name', parameters[first] as Declared] as const] : []),
    ...(rest[0] ? [['param', rest[0]] as const] : []),
  ])
}

function single(key: string, value: string | string[] | undefined): string | undefined {
  if (Array.isArray(value)) throw bad(`"${shown(key)}" is given twice.`)
  return value
}

function isTrue(key: string, value: string | string[] | undefined): boolean {
  const text = single(key, value)?.toLowerCase() ?? ''
  if (['true', 'yes', '1', 'on'].includes(text)) return true
  if (['', 'false', 'no', '0', 'off'].includes(text)) return false
  throw bad(`"${key}" takes true or false, not "${shown(text)}".`)
}

function secondsOf(text = '0'): number {
  const seconds = /^\d{1,6}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= 86_400) return seconds
  throw bad(`"wait" takes a number of seconds up to 86400, not "${shown(text)}".`)
}

function unknown(action: Action, name: string, known: readonly string[]): HttpError {
  const help = didYouMean(name, known)
  return new HttpError(
    400,
    'ERR_USAGE',
    `${action.name} takes no "${shown(name)}".`,
    help === undefined ? {} : { help },
  )
}

function bad(message: string): HttpError {
  return new HttpError(400, 'ERR_USAGE', message)
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
