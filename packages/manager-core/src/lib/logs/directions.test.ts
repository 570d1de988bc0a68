import { expect, it } from 'vitest'
import { withVisibleDirections } from './directions.js'
import { readLogEntry } from './read-log-entry.js'

const all = '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069'

it('withVisibleDirections() shows each as an escape, and other text as it is', () => {
  expect(withVisibleDirections(all)).toBe(
    String.raw`\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069`,
  )
  expect(withVisibleDirections('שלום, مرحبا é 😀')).toBe('שלום, مرحبا é 😀')
})

it('readLogEntry() shows them in every part of a line', () => {
  const line = (more: object) => JSON.stringify({ time: 1_700_000_000_000, level: 30, msg: `a${all}`, ...more })
  const request = { msg: 'request', method: 'GET', url: `/${all}`, status: 200, durationMs: 1, user: all, [all]: all }
  const lines = [`plain ${all}`, line({}), line(request), line({ err: { message: all, stack: `Error\n at ${all}` } })]
  for (const one of [...lines, `2026-11-27T00:00:00Z steward: ${all}`])
    expect(JSON.stringify(readLogEntry(one))).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/)
  expect(readLogEntry('evil \u202Egpj.exe').text).toBe(String.raw`evil \u202Egpj.exe`)
})
