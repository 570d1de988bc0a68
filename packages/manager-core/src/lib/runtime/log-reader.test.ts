import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import timers from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { randomOf } from '../testing/simulation/random.js'
import { followLog } from './log-reader.js'

/** What happens elsewhere before the reader does anything with a file, or waits. */
let happens = () => {}

// Not by `vi.mock`: this file shares its process with others, for which the reader may have been loaded before.
const { lstat, open } = fs
const { setTimeout: sleep } = timers

beforeAll(() => {
  Object.assign(fs, {
    lstat: (path: string) => (happens(), lstat(path)),
    open: async (path: string, flags: number) => {
      happens()
      const handle = await open(path, flags)
      const read = handle.read.bind(handle) as (...all: unknown[]) => unknown
      const stat = handle.stat.bind(handle)
      return Object.assign(handle, {
        read: (...all: unknown[]) => (happens(), read(...all)),
        stat: () => (happens(), stat()),
      })
    },
  })
  Object.assign(timers, {
    setTimeout: async (_: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) => {
      signal?.throwIfAborted()
      happens()
      return value
    },
  })
  syncBuiltinESMExports()
})
afterAll(() => {
  Object.assign(fs, { lstat, open })
  Object.assign(timers, { setTimeout: sleep })
  syncBuiltinESMExports()
})

const folder = mkdtempSync(join(tmpdir(), 'steward-logs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Lines that are written, and three rotations among them, in steps whose middle is not seen. */
function* application(file: string): Generator<undefined> {
  let line = 0
  for (let round = 1; round <= 4; round++) {
    for (let times = 0; times < 3; times++) {
      appendFileSync(file, `${++line}\n${++line}\n`)
      yield
    }
    if (round === 4) return
    copyFileSync(file, `${file}.new`)
    yield
    for (const number of [3, 2, 1])
      if (existsSync(`${file}.${number}`)) {
        renameSync(`${file}.${number}`, `${file}.${number + 1}`)
        yield
      }
    renameSync(`${file}.new`, `${file}.1`)
    yield
    truncateSync(file)
    yield
  }
}
const lineCount = 24

async function follow(seed: number): Promise<readonly string[]> {
  const random = randomOf(seed)
  const file = join(folder, `${seed}.log`)
  writeFileSync(file, '')
  const steps = application(file)
  // Some applications are slow, some do many steps at each look of the reader.
  const most = random.below(2) === 0 ? 2 : 12
  for (let before = random.below(30); before > 0; before--) steps.next()
  let quiet = 0
  const end = new AbortController()
  happens = () => {
    for (let count = random.below(3) === 0 ? random.below(most) : 0; count > 0; count--)
      if (steps.next().done && ++quiet > 60) end.abort()
  }
  const lines: string[] = []
  for await (const line of followLog(file, { lines: 100, follow: true, signal: end.signal })) lines.push(line)
  happens = () => {}
  return lines
}

it('gives each line once, in order, whenever the log is rotated', async () => {
  const all = Array.from({ length: lineCount }, (_, index) => String(index + 1))
  for (let seed = 1; seed <= 60; seed++) expect(await follow(seed), `seed ${seed}`).toEqual(all)
})
