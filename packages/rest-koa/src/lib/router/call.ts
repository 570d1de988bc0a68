import type { BusinessObjects, ByteUse, NeededRight, Principal } from '@steward/rest-core'
import type { Context } from 'koa'
import type { Delivery } from '../http/delivery.js'
import type { Pace } from '../http/pace.js'
import type { Address } from './address.js'
import type { AppDescription } from './app-info.js'
import type { BodyLimits } from './body.js'
import type { Level } from './level.js'
import type { Recheck } from './recheck.js'

/** What an operation needs to know of the router it runs in. */
export interface RestCall {
  readonly context: Context
  readonly service: BusinessObjects
  /** Whose rights hold. */
  readonly principal: Principal
  /** The caller may see what other users see. */
  readonly offersView: boolean
  readonly app: AppDescription
  readonly level: Level
  readonly body: BodyLimits
  /** Counts what the answer holds in memory until it was sent. */
  readonly memory: () => ByteUse
  readonly respond: Delivery
  /** For answers that are read from the database as the client takes them. */
  readonly pace: Pace
  readonly address: () => Address
  /** For answers that take long: the right to them may be withdrawn meanwhile. */
  readonly recheck: (needed: NeededRight) => Recheck
}

/** The base address as the client knows it: with what a mount around the router has taken off, be it Koa's or Express's. */
export function publicBase({ context, address }: RestCall): string {
  const { req } = context
  const { url = '/', originalUrl = context.originalUrl } = req as typeof req & { readonly originalUrl?: string }
  const mount = originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : ''
  return mount + address().base
}
