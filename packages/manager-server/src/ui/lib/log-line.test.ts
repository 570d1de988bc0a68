import { expect, it } from 'vitest'
import { leastLevel, readableLine } from './log-line.js'

const time = new Date(2026, 10, 25, 14, 3, 22, 7).getTime()
const json = (fields: object) => JSON.stringify({ level: 30, time, ...fields })

it('readableLine() separates time, level, message and the rest', () => {
  expect(readableLine(json({ msg: 'saved', by: 'Ann' }))).toMatchObject({
    level: 'info',
    clock: '14:03:22.007',
    message: 'saved',
    fields: [['by', 'Ann']],
    searched: '14:03:22.007\ninfo\nsaved\nby=ann',
  })
  const levels = [10, 20, 30, 40, 50, 60].map((level) => readableLine(json({ level })).level)
  expect(levels).toEqual(['debug', 'debug', 'info', 'warn', 'error', 'error'])
  expect(['An Error: x', 'one warning', 'terror'].map((text) => readableLine(text).level)).toEqual([
    'error',
    'warn',
    'other',
  ])
})

it.each(['', 'listening', '{', '{}', '{"time":"x","level":30}', '{"time":1e300,"level":30}', '[1]', '{"a":null}'])(
  'readableLine() keeps a line that is not an entry of a log: %j',
  (line) => expect(readableLine(line)).toMatchObject({ clock: '', message: line, fields: [] }),
)

it('leastLevel() asks the server for fewer lines only when none below are wanted', () => {
  expect(leastLevel(new Set())).toBeUndefined()
  expect(leastLevel(new Set(['error', 'info']))).toBeUndefined()
  expect(leastLevel(new Set(['error', 'other']))).toBeUndefined()
  expect(leastLevel(new Set(['error', 'warn']))).toBe('warn')
  expect(leastLevel(new Set(['error']))).toBe('error')
})
