import { RestError } from '../../errors.js'

/**
 * What one request may ask for. Not specified; chosen far above what people and programs write, and below what a
 * database refuses (e.g. SQLite's 32,766 parameters and its depth of expressions).
 */
export const limits = {
  /** UTF-16 units of one filter text. */
  textLength: 65_536,
  /** Conditions of all filter texts of a request. */
  terms: 1_000,
  /** Values of all `in` lists of a request. */
  listValues: 5_000,
  /** Parentheses within each other. */
  nesting: 50,
  /** UTF-16 units of a pattern with wildcards. */
  patternLength: 1_000,
} as const

/** Counts what the filter texts of one request use up. */
export interface Budget {
  terms: number
  listValues: number
}

/** @throws RestError ERR_FILTER */
export function checkTextLength(text: string, field?: string): void {
  if (text.length <= limits.textLength) return
  throw filterError(`is longer than ${limits.textLength} characters; ask in several requests`, field)
}

/** @throws RestError ERR_FILTER */
export function spend(budget: Budget, terms: number, listValues: number, field?: string): void {
  budget.terms += terms
  budget.listValues += listValues
  if (budget.terms > limits.terms) {
    throw filterError(`makes more than ${limits.terms} conditions; use "in (…)" or ask in several requests`, field)
  }
  if (budget.listValues > limits.listValues) {
    throw filterError(`makes more than ${limits.listValues} listed values; ask in several requests`, field)
  }
}

/** A filter that cannot be used. `text` completes `Filter on "x" `. */
export function filterError(text: string, field?: string): RestError {
  const whole = `${field === undefined ? 'Filter' : `Filter on "${field}"`} ${text}.`
  return new RestError('ERR_FILTER', whole, {
    messages: [{ code: 'ERR_FILTER', ...(field === undefined ? {} : { field }), text: whole }],
  })
}
