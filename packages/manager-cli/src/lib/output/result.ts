import type { Action, ActionResult, Json } from '@steward/manager-core'
import { plan } from './plan.js'
import { record } from './record.js'
import { table } from './table.js'
import { printable } from './text.js'

export interface TextOptions {
  /** Of the terminal; undefined when it is none. */
  readonly width?: number | undefined
  /** Only what was asked for, without sentences about it. */
  readonly quiet?: boolean
}

/** A result for people: what was asked for, and a sentence beside it, which does not belong into a pipe. */
export interface ResultText {
  readonly out: string
  readonly aside: string
}

export function resultText({ view, mutating }: Action, result: ActionResult, options: TextOptions): ResultText {
  const { width, quiet } = options
  const message = result.message === '' ? '' : `${printable(result.message)}\n`
  const sentence = quiet ? '' : message
  // A list beside what the view shows; lines of text are in the message.
  const [first] = view.type === 'table' ? [] : (result.list ?? [])
  const listed =
    typeof first !== 'object' || first === null ? '' : table(result.list as readonly Json[], Object.keys(first), width)
  if (result.plan) return { out: plan(result.plan) + listed, aside: '' }
  if (view.type === 'table' && result.list)
    return result.list.length === 0
      ? { out: '', aside: quiet ? '' : `${view.empty}\n` }
      : { out: table(result.list, view.columns, width), aside: sentence }
  const item = result.item ?? result.data
  if (view.type === 'record' && item !== undefined && !mutating) return { out: record(item), aside: '' }
  return { out: (mutating ? sentence : message) + listed, aside: '' }
}

/** A result for programs: the same keys whatever happened. `status` is the exit code, 0 = done. */
export function resultJson(result: ActionResult, exitCode: number): string {
  const { message, warnings = [], operation, list, item, plan: planned, data } = result
  return jsonText({ status: exitCode, message, warnings, operation, list, item, plan: planned, ...data })
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
