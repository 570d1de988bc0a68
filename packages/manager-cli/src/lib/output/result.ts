import type { Action, ActionResult, Json } from '@steward/manager-core'
import { plan } from './plan.js'
import { record } from './record.js'
import { table } from './table.js'
import { printable } from './text.js'

export interface TextOptions {
  /** Of the terminal; undefined when it is none. */
  readonly width?: number | undefined
  /** Without sentences: what was asked for only. */
  readonly quiet?: boolean
}

/** A result for people, with its last line end. */
export function resultText({ view, mutating }: Action, result: ActionResult, { width, quiet }: TextOptions): string {
  if (result.plan) return plan(result.plan)
  const message = quiet || result.message === '' ? '' : `${printable(result.message)}\n`
  if (view.type === 'table' && result.list)
    return result.list.length === 0
      ? quiet
        ? ''
        : `${view.empty}\n`
      : (mutating ? message : '') + table(result.list, view.columns, width)
  const item = result.item ?? result.data
  if (view.type === 'record' && item !== undefined) return (mutating ? message : '') + record(item as Json)
  return view.type === 'text' && !mutating ? `${printable(result.message)}\n` : message
}

/** A result for programs: the same keys whatever happened. `status` is the exit code, 0 = done. */
export function resultJson(result: ActionResult, exitCode: number): string {
  const { message, warnings = [], operation, list, item, plan: planned, data } = result
  return jsonText({ status: exitCode, message, warnings, operation, list, item, plan: planned, ...data })
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
