import { createHash } from 'node:crypto'
import type { CertificateInfo } from './certificate.js'

const dayMs = 24 * 3_600_000

/**
 * When a certificate is issued again: when a third of its life is left, a little earlier for each name, so that those that
 * were issued together do not all come at once. Lives get shorter (47 days, even 6), so that days are no measure.
 */
export function renewalOf({
  name,
  from,
  until,
}: Pick<CertificateInfo, 'from' | 'until'> & { readonly name: string }): Date {
  const life = until.getTime() - from.getTime()
  const spread = (createHash('sha256').update(name).digest().readUInt16BE() / 65_536) * (life / 30)
  return new Date(until.getTime() - life / 3 - spread)
}

/**
 * `soon`: a sixth of its life is left, or three weeks: the operator has to act, as it should have been renewed long
 * ago. Not specified; chosen.
 */
export function stateOf(
  { from, until }: Pick<CertificateInfo, 'from' | 'until'>,
  now: Date,
): 'good' | 'soon' | 'expired' {
  const left = until.getTime() - now.getTime()
  if (left <= 0) return 'expired'
  return left < Math.min((until.getTime() - from.getTime()) / 6, 21 * dayMs) ? 'soon' : 'good'
}
