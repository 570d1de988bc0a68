import type { Filter } from '../filter/filter.js'

/** Letters of a grant: create, read, update, delete, run actions. Source: docs/spec/wire-decisions.md, "rights". */
export type RightLetter = 'C' | 'R' | 'U' | 'D' | 'A'

/** What has a name and is granted by it: actions need the letter `A`, the others `R`. */
export type NamedKind = 'actions' | 'publications' | 'crosstabs'

/** What one user may do with one object. */
export interface ObjectRights {
  /** Per granted letter: the rows it covers; `undefined` = all rows. A missing letter = not granted. */
  readonly letters: ReadonlyMap<RightLetter, Filter | undefined>
  /** Fields that this user neither sees, filters nor sorts by. */
  readonly hidden: ReadonlySet<string>
  /** Fields that this user cannot set when creating or updating; absent: those of `hidden`. */
  readonly locked?: { readonly [L in 'C' | 'U']?: ReadonlySet<string> | undefined }
  /** Per kind the names that are granted; absent: all. */
  readonly named?: { readonly [K in NamedKind]?: ReadonlySet<string> | undefined }
}

/** What one user may do. Instances are kept and shared between requests, so they can key caches. */
export interface Rights {
  /** `undefined`: nothing. */
  object(name: string): ObjectRights | undefined
}

/** Who makes a call. Kept and shared between the requests of one user while nothing about the user changes. */
export interface Principal {
  /** Stable id of the user, e.g. the row id of the `User` record; `""` for anonymous calls. */
  readonly userId: string
  readonly login: string
  /** Names of the groups the user is responsible for. */
  readonly groups: readonly string[]
  readonly rights: Rights
  readonly firstname: string
  readonly lastname: string
  readonly email: string
  readonly lang: string
}
