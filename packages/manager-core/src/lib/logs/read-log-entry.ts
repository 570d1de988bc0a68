import { durationText } from '../domain/readable.js'
import { withVisibleDirections } from './directions.js'

/** How grave a line of a log is, in rising order. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LogLevel = (typeof logLevels)[number]

/** A line of an instance's log as people read it. */
export interface LogEntry {
  /** When it was written, in ms since the Unix epoch; undefined: the line does not say. */
  readonly time: number | undefined
  /** Undefined: the line does not say, as those that Node prints of a crash. */
  readonly level: LogLevel | undefined
  /** What happened. Of a request: method, address, status, duration and user. */
  readonly text: string
  /** The same without what else the line says, which `fields` has. */
  readonly message: string
  /** What else the line says, by name; of a request also what `text` leaves out. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Lines that belong below it: where an error came from. */
  readonly details: readonly string[]
  /** It is the manager that asked whether the instance is healthy, and it is. */
  readonly isHealthCheck: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** They say the same in each line, or are shown otherwise. */
const leftOut = new Set(['time', 'level', 'msg', 'err', 'pid', 'hostname', 'v'])
/** The text of a request has these. */
const inText = ['method', 'url', 'status', 'durationMs', 'user', 'aborted']
/** What else is known of a request is seldom what one looks for. */
const seldom = ['bytes', 'address', 'requestId', 'referrer', 'userAgent']

/** Understands the JSON lines of the application server and what its supervisor writes; other lines stay as they are. */
export function readLogEntry(line: string): LogEntry {
  const fields = line.startsWith('{') ? fieldsOf(line) : undefined
  return withPlainDirections(fields ? entryOf(fields) : entryOfText(line))
}

/** An application decides what it writes: it must not make a line read as another one. */
function withPlainDirections(entry: LogEntry): LogEntry {
  const { text, message, fields, details } = entry
  return {
    ...entry,
    text: withVisibleDirections(text),
    message: withVisibleDirections(message),
    fields: fields.map(([name, value]) => [withVisibleDirections(name), withVisibleDirections(value)]),
    details: details.map(withVisibleDirections),
  }
}

function entryOfText(line: string): LogEntry {
  const [, at = '', text = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) steward: (.*)$/.exec(line) ?? []
  if (at === '') return { ...plain, text: line, message: line }
  return { ...plain, time: Date.parse(at), level: 'warn', text, message: text }
}

const plain = { time: undefined, level: undefined, fields: [], details: [], isHealthCheck: false } as const

/** Undefined: it is not a line of a log in JSON. */
function fieldsOf(line: string): Fields | undefined {
  try {
    const fields = JSON.parse(line) as Fields
    const { time, level } = fields
    const isEntry = typeof level === 'number' && typeof time === 'number' && !Number.isNaN(new Date(time).getTime())
    return isEntry ? fields : undefined
  } catch {
    return undefined
  }
}

function entryOf(fields: Fields): LogEntry {
  const { time, level } = fields as { time: number; level: number }
  const head = { time, level: logLevels[Math.min(Math.max(Math.floor(level / 10) - 1, 0), logLevels.length - 1)] }
  if (fields.msg === 'request' && typeof fields.method === 'string') {
    const message = textOfRequest(fields)
    return {
      ...head,
      text: textOf(message, othersOf(fields, new Set([...leftOut, ...inText, ...seldom]))),
      message,
      fields: othersOf(fields, new Set([...leftOut, ...inText])),
      details: [],
      isHealthCheck: isHealthCheck(fields),
    }
  }
  const { message, stack } = (fields.err ?? {}) as { readonly message?: unknown; readonly stack?: unknown }
  const said = [fields.msg, message].filter((one) => typeof one === 'string' && one !== '')
  const own = (said[0] === said[1] ? said.slice(0, 1) : said).join(': ')
  const frames = typeof stack === 'string' ? stack.split('\n').filter((one) => /^\s+at /.test(one)) : []
  const others = othersOf(fields, leftOut)
  return {
    ...head,
    text: textOf(own, others),
    message: own,
    fields: others,
    details: frames.map((frame) => frame.trim()),
    isHealthCheck: false,
  }
}

/** `GET /catalog/api/rest/Movie/ 200 12 ms admin` */
function textOfRequest({ method, url, status, durationMs, user, aborted }: Fields): string {
  return [
    ...[method, url, status].map(valueText),
    ...(typeof durationMs === 'number' ? [durationText(durationMs)] : []),
    ...(typeof user === 'string' ? [user] : []),
    ...(aborted === true ? ['(broken off)'] : []),
  ].join(' ')
}

function textOf(message: string, others: LogEntry['fields']): string {
  return [message, ...others.map(([name, value]) => `${name}=${value}`)].filter((one) => one !== '').join(' ')
}

function othersOf(fields: Fields, known: ReadonlySet<string>): LogEntry['fields'] {
  return Object.entries(fields)
    .filter(([key]) => !known.has(key))
    .map(([key, value]) => [key, valueText(value)] as const)
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Whether a request is one of the manager's own checks, and all was well. */
export function isHealthCheck({ method, url, status, address, userAgent }: Fields): boolean {
  return (
    method === 'GET' &&
    url === '/health' &&
    status === 200 &&
    userAgent === undefined &&
    ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(address as string)
  )
}
