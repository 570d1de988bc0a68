import type { ObjectRights, Principal, Rights } from './rights.js'

const cache = new WeakMap<Principal, Principal>()

/**
 * The same user with the right to read and nothing else: for showing someone else what this user sees. Kept as long as the
 * principal lives.
 *
 * @example
 * await service.get(readingOnly(ann), 'Movie', '17')
 */
export function readingOnly(principal: Principal): Principal {
  let reader = cache.get(principal)
  if (!reader) cache.set(principal, (reader = { ...principal, rights: toRead(principal.rights) }))
  return reader
}

function toRead(rights: Rights): Rights {
  const objects = new Map<string, ObjectRights | undefined>()
  return {
    object(name) {
      if (!objects.has(name)) objects.set(name, lettersOf(rights.object(name)))
      return objects.get(name)
    },
  }
}

function lettersOf(granted: ObjectRights | undefined): ObjectRights | undefined {
  return granted?.letters.has('R') ? { ...granted, letters: new Map([['R', granted.letters.get('R')]]) } : undefined
}
