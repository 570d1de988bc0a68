import type { FieldMetadata } from '@steward/rest-core'
import { kindOf } from '@steward/page-kit/field-kinds'
import { changedFields, type Values } from './draft.js'
import type { FormState } from './merge.js'

/** What was typed into a form and not saved, by field. */
interface KeptDraft {
  readonly etag: string
  readonly base: Values
  readonly draft: Values
}

/** Keeps what was typed in this tab: it outlives a reload, the back button and the end of the session. */
export function keepDraft(key: string, fields: readonly FieldMetadata[], { etag, base, draft }: FormState): void {
  // A password is kept nowhere, and a file cannot be.
  const typed = changedFields(fields, base, draft).filter((field) => !['password', 'file'].includes(kindOf(field)))
  if (typed.length === 0) return sessionStorage.removeItem(key)
  const of = (values: Values) => Object.fromEntries(typed.map(({ name }) => [name, values[name]]))
  const kept: KeptDraft = { etag, base: of(base), draft: of(draft) }
  try {
    sessionStorage.setItem(key, JSON.stringify(kept))
  } catch {
    // There is no more room: the form itself still has it.
  }
}

/** The form with what was kept; the same when there is nothing. */
export function withKept(key: string, state: FormState): FormState {
  const text = sessionStorage.getItem(key)
  if (text === null) return state
  const { etag, base, draft } = JSON.parse(text) as KeptDraft
  return { ...state, etag, base: { ...state.base, ...base }, draft: { ...state.draft, ...draft } }
}

export function isKept(key: string): boolean {
  return sessionStorage.getItem(key) !== null
}

export function forgetDraft(key: string): void {
  sessionStorage.removeItem(key)
}
