import type { DatabaseType, Instance } from '../domain/instance.js'
import type { Owner } from '../domain/owner.js'
import type { Decision } from '../domain/request.js'
import type { AnonymisationFacts, SourceFacts } from './anonymised-data-step.js'

/** What `add` and `clone` are asked for. `null`: not said, so that the default holds. */
export type CreationRequest = {
  /** Id of the new instance; chosen before, because it is locked. */
  readonly id: string
  readonly name: string
  readonly from: { readonly version: string | null } | { readonly instance: string; readonly name: string }
  readonly database: DatabaseType | null
  /** Absent: not said, too. */
  readonly runtime?: string | null
  readonly protected: boolean | null
  readonly autoSave: boolean | null
  readonly autoUpdate: boolean | null
  /** `null`: started; a clone as its source is. */
  readonly start: boolean | null
  /** Whom it is for; absent: no owner, or that of the source. */
  readonly owner?: Partial<Owner>
  /** On the request of a person that it fulfils. */
  readonly decision?: Decision
  /** Absolute path of the rules by which a clone is anonymised; absent: it is not. */
  readonly rules?: string
}

/** All of an instance but what is found out when its row is inserted. */
export type NewInstance = Omit<Instance, 'port' | 'operation' | 'observed' | 'updated'>

export type CreationFacts = {
  readonly row: NewInstance
  /** Home of the new instance. */
  readonly folder: string
  /** Folder that its application is copied from. */
  readonly application: string
  readonly source: SourceFacts | null
  /** For a clone that is anonymised. */
  readonly anonymisation?: AnonymisationFacts
  /** It gets a system account of its own. */
  readonly isolated: boolean
  /** Bytes that it takes at least. */
  readonly bytes: number
}
