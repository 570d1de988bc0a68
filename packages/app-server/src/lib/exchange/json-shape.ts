import type { FilePlace } from './import-record.js'
import { fileError } from './import-record.js'

/** Not specified; chosen as for bodies of requests. */
const deepest = 100
/** Members of one object. Not specified; chosen as for values of fields of type object. */
const mostMembers = 50_000

/**
 * Looks at JSON piece by piece, before anything is built of it: how deep it is, and how many members its objects have.
 *
 * @returns what takes the pieces. @throws RestError ERR_BAD_REQUEST
 */
export function createShapeCheck(place: FilePlace): (text: string) => void {
  /** Commas of each open object; -1 for each open list. */
  const open: number[] = []
  let inText = false
  let escaped = false
  return (text) => {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (inText) {
        if (escaped) escaped = false
        else if (code === 0x5c) escaped = true
        else if (code === 0x22) inText = false
      } else look(code)
    }
  }

  function look(code: number): void {
    switch (code) {
      case 0x22: // "
        inText = true
        return
      case 0x5b: // [
      case 0x7b: // {
        if (open.length === deepest) throw fileError(place, `The file is nested deeper than ${deepest} levels.`)
        open.push(code === 0x7b ? 0 : -1)
        return
      case 0x5d: // ]
      case 0x7d: // }
        open.pop()
        return
      case 0x2c: // ,
        count()
    }
  }

  function count(): void {
    const last = open.length - 1
    const commas = open[last] ?? -1
    if (commas < 0) return
    if (commas + 2 > mostMembers) throw fileError(place, `An object has more than ${mostMembers} members.`)
    open[last] = commas + 1
  }
}
