/**
 * Whether a link leads out of the root that its path starts at, whatever else is there. `..` counts only in front: after a
 * name that may itself be a link, it may lead anywhere.
 *
 * @param depth of the folder that the link is in; 0: the root
 * @param target as written in it
 */
export function leadsOut(depth: number, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return true
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const first = parts.findIndex((part) => part !== '..')
  const ups = first === -1 ? parts.length : first
  return ups > depth || parts.slice(ups).includes('..')
}
