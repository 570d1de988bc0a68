import { isSame, type Values } from './draft.js'

/** Who changed what of a record since its form was last saved. */
export interface LiveRecord {
  /** Its shown values as it was last read, or answered to the form's save. */
  readonly record: Values
  readonly etag: string
  /** Other users by the fields they changed. */
  readonly theirs: ReadonlyMap<string, Author>
  /** Fields that changed before an event said who changed them. */
  readonly unclear: ReadonlySet<string>
  /** The other user who changed or deleted it last. */
  readonly last: Author | undefined
  readonly isGone: boolean
}

/** Another user; without a login where this user may not know it. */
export interface Author {
  readonly login: string | undefined
}

export type LiveStep =
  /** The form was saved: the record that the service answered is what this user knows. */
  | { readonly kind: 'saved'; readonly record: Values }
  /** The record was read because of another user's change, or, without an author, because of this user's own. */
  | { readonly kind: 'read'; readonly record: Values; readonly etag: string; readonly author?: Author | undefined }
  | { readonly kind: 'gone'; readonly author: Author }
  /** The user has read the notice. */
  | { readonly kind: 'closed' }

export function liveRecord(record: Values, etag: string): LiveRecord {
  return { record, etag, theirs: new Map(), unclear: new Set(), last: undefined, isGone: false }
}

/**
 * The next state. Events come in the order of the changes, reads may be ahead of them: a read for one change can have the
 * next one already. What a read brings without another user's event is kept as unclear until such an event brings nothing
 * new.
 */
export function nextLive(now: LiveRecord, step: LiveStep): LiveRecord {
  switch (step.kind) {
    case 'saved':
      return liveRecord(step.record, now.etag)
    case 'closed':
      return { ...now, theirs: new Map(), last: undefined }
    case 'gone':
      return { ...now, last: step.author, isGone: true }
    case 'read':
      return afterRead(now, step)
  }
}

function afterRead(now: LiveRecord, { record, etag, author }: LiveStep & { kind: 'read' }): LiveRecord {
  const names = Object.keys({ ...now.record, ...record })
  const changed = names.filter((name) => !isSame(now.record[name], record[name]))
  const next = { ...now, record, etag }
  if (!author) return { ...next, unclear: new Set([...now.unclear, ...changed]) }
  // After a gap in the events, one stands for several.
  const isLate = changed.length === 0 || author.login === undefined
  const named = isLate ? [...now.unclear, ...changed] : changed
  if (named.length === 0) return next
  return {
    ...next,
    theirs: new Map([...now.theirs, ...named.map((name) => [name, author] as const)]),
    unclear: isLate ? new Set() : now.unclear,
    last: author,
  }
}
