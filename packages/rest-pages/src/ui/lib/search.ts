import type { ObjectMetadata } from '@steward/rest-core'
import { wireFilters, wordsExpression } from './filters.js'
import type { ListAddress } from './list-address.js'

/** What the service is asked for. */
export function searchOf({ words, order, conditions }: ListAddress, { fields, indexable }: ObjectMetadata) {
  return {
    filters: wireFilters(conditions, fields),
    // The index finds whole words and their beginnings, and answers the best first.
    byIndex: words !== '' && indexable && order === '' ? beginnings(words) : undefined,
    filter: words === '' ? undefined : wordsExpression(words, fields),
    order: order === '' ? undefined : [order as '-created_dt'],
  }
}

/** Each of the words, or its first letters. */
export function beginnings(words: string): string {
  return words
    .split(/[\s"*]+/)
    .filter(Boolean)
    .map((word) => `${word}*`)
    .join(' ')
}
