import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'

/** A caller with all abilities for these instances alone, by their ids. */
export function scopedTo(...instances: readonly string[]): Pick<Caller, 'grant'> {
  return {
    grant: { ...fullGrant, scope: { all: false, instances: new Set(instances), hosts: new Set() } },
  }
}
