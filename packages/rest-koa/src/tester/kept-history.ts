import type { Draft } from './draft.js'
import type { HistoryEntry } from './history.js'

const storageKey = 'steward-tester-history'

/** Names of what is never written down. */
const secret = /passw|pwd|secret|token|credential/i

/** Whether a request holds a password or the like, by the names of what it sends. */
export function holdsSecret({ operation, object, body, parameters }: Draft): boolean {
  if (operation === 'action') return Object.keys(parameters).some((name) => secret.test(name))
  return secret.test(body) || (object === 'User' && body !== '')
}

/** The requests of this tab before it was reloaded. */
export function restoreHistory(): readonly HistoryEntry[] {
  try {
    const entries: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(entries) ? (entries as HistoryEntry[]) : []
  } catch {
    return []
  }
}

/** Keeps them until the tab is closed, without those that hold a secret and without files. */
export function keepHistory(entries: readonly HistoryEntry[]): void {
  const kept = entries
    .filter(({ draft }) => !holdsSecret(draft))
    .map((entry) => ({ ...entry, draft: { ...entry.draft, file: undefined } }))
  try {
    if (kept.length === 0) sessionStorage.removeItem(storageKey)
    else sessionStorage.setItem(storageKey, JSON.stringify(kept))
  } catch {
    // A browser that keeps nothing, or not that much, has them until a reload.
  }
}
