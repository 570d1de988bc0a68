import { countText, type Action, type ActionResult, type Json, type PlannedOperation } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import { logLine } from './log.js'
import { plainPaint } from './paint.js'
import { record } from './record.js'
import { table, type TableOptions } from './table.js'
import { printable } from './text.js'
import { createTimes, timesIn } from './times.js'

export interface TextOptions extends TableOptions {
  /** Only what was asked for, without sentences about it. */
  readonly quiet?: boolean
  /** Columns of a table that are wanted. */
  readonly columns?: readonly string[] | undefined
  /** All columns of a table, uncut. */
  readonly wide?: boolean | undefined
}

/** A result for people: what was asked for, and a sentence beside it, which does not belong into a pipe. */
export interface ResultText {
  readonly out: string
  readonly aside: string
}

export function resultText({ view, mutating }: Action, result: ActionResult, options: TextOptions): ResultText {
  const { quiet, times = createTimes(), paint = plainPaint } = options
  const message = result.message === '' ? '' : `${timesIn(printable(result.message), times)}\n`
  const sentence = quiet ? '' : message
  const shownLines = () => (result.list ?? []).map((line) => `${logLine(String(line), { times, paint })}\n`).join('')
  // A list beside what the view shows; of a text, lines are in the message.
  const [first] = view.type === 'table' ? [] : (result.list ?? [])
  const isObject = typeof first === 'object' && first !== null
  const listed = isObject
    ? table(result.list as readonly Json[], Object.keys(first), options)
    : view.type === 'record'
      ? shownLines()
      : ''
  if (result.plan) return { out: timesIn(plan(result.plan), times) + listed, aside: '' }
  if (view.type === 'table' && result.list)
    return result.list.length === 0
      ? { out: '', aside: quiet ? '' : `${view.empty}\n` }
      : chosenTable(result.list, result.below, view, options, sentence)
  if (view.type === 'log') return { out: shownLines(), aside: '' }
  const item = result.item ?? result.data
  if (view.type === 'record' && item !== undefined && !mutating)
    return { out: record(item, times, options.link) + (listed && `\n${listed}`), aside: '' }
  return { out: (mutating ? sentence : message) + listed, aside: '' }
}

/** A dry run for people. */
function plan({ title, steps, notes }: PlannedOperation): string {
  const lines = steps.flatMap(({ title: step, pointOfNoReturn }, at) => [
    ...(pointOfNoReturn ? ['     -- point of no return: later steps are not rolled back --'] : []),
    `${String(at + 1).padStart(4)} ${step}`,
  ])
  return [`${title}. Dry run, nothing was changed. Steps:`, ...lines, ...notes.map((note) => `Note: ${note}`)]
    .map((line) => `${printable(line)}\n`)
    .join('')
}

/** @throws ManagerError ERR_USAGE for an unknown column */
function chosenTable(
  list: readonly Json[],
  ownBelow: readonly string[] | undefined,
  { columns: usual, optional = [], below, wraps }: Extract<Action['view'], { type: 'table' }>,
  options: TextOptions,
  sentence: string,
): ResultText {
  const rows = list as readonly Readonly<Record<string, Json>>[]
  const known = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const { columns: wanted, width, wide } = options
  const unknown = wanted?.find((column) => !known.includes(column) && !usual.includes(column))
  if (unknown !== undefined)
    throw new ManagerError('ERR_USAGE', `Unknown column "${unknown}".`, { help: `Columns: ${known.join(', ')}.` })
  const isFilled = (column: string) => rows.some((row) => !['', null, undefined].includes(row[column] as string))
  const shown = wanted ?? (wide ? known : usual.filter((column) => !optional.includes(column) || isFilled(column)))
  const beside = (ownBelow ?? (below === undefined ? [] : [below])).filter((key) => !shown.includes(key))
  let aside = sentence
  const onLeftOut = (count: number) => {
    if (!options.quiet) aside += `+${countText(count, 'column')}: --wide\n`
  }
  const space = { width: wide ? undefined : width, below: wanted ? undefined : beside, wraps, onLeftOut }
  return { out: table(rows, shown, { ...options, ...space }), aside }
}

/** A result for programs: the same keys whatever happened. `status` is the exit code, 0 = done. */
export function resultJson(result: ActionResult, exitCode: number): string {
  const { message, warnings = [], operation, list, item, plan: planned, data } = result
  return jsonText({ status: exitCode, message, warnings, operation, list, item, plan: planned, ...data })
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
