import type { Json } from '@steward/manager-core'
import { cellText, wordsOf } from './cell.js'
import { isAddress, plainLink, type Link } from './link.js'
import { lineOf, printable } from './text.js'
import { createTimes, type Times } from './times.js'

/** `key: value` lines, values aligned; an object inside becomes a section, a list of objects a line each. Empty values have no line. */
export function record(item: Json, times: Times = createTimes(), link: Link = plainLink): string {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return `${lineOf(item)}\n`
  return linesOf(item as Readonly<Record<string, Json>>, '', times, link).join('')
}

function linesOf(item: Readonly<Record<string, Json | undefined>>, indent: string, times: Times, link: Link): string[] {
  const entries = Object.entries(item).filter(([, value]) => !isEmpty(value)) as [string, Json][]
  const plain = entries.filter(([, value]) => !isNested(value))
  const width = Math.max(0, ...plain.map(([key]) => wordsOf(key, times).length)) + 1
  return entries.flatMap(([key, value]) => {
    const name = `${printable(wordsOf(key, times))}:`
    if (!isNested(value)) {
      const text = cellText(key, value, times, 'long')
      return [`${indent}${name.padEnd(width)} ${isAddress(key) ? link(text, text) : text}`.trimEnd() + '\n']
    }
    const inner = Array.isArray(value)
      ? value.map((one: Json) => `${indent}  ${lineOf(one)}\n`)
      : linesOf(value as Readonly<Record<string, Json>>, `${indent}  `, times, link)
    return [`${indent}${name}\n`, ...inner]
  })
}

/** What there is not is not worth a line; programs get it all the same. */
function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function isNested(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? value.some((one) => typeof one === 'object') : Object.keys(value).length > 0
}
