import { closeSync, fstatSync, readSync } from 'node:fs'
import { openForeignSync } from '../../accounts/foreign.js'
import type { ExitRecord } from '../run-files.js'
import type { LimitInForce, LimitName } from './limits.js'

/** How much of the end of a log is read. */
const tailBytes = 65_536

/** What its supervisor says when it has ended, and how much of what the application said before belongs to its end. */
const endMark = 'steward: The application '
const lastWords = 16_384

/** What an application, Node or Java above all, says last when a limit has ended it. */
const signs: Readonly<Partial<Record<LimitName, RegExp>>> = {
  heap: /JavaScript heap out of memory|OutOfMemoryError: Java heap space/,
  memory:
    /OOM error|Array buffer allocation failed|ERR_WORKER_OUT_OF_MEMORY|ERR_MEMORY_ALLOCATION_FAILED|ENOMEM|Failed to allocate memory|Cannot allocate memory|std::bad_alloc/,
  files: /\bEMFILE\b|Too many open files/,
  processes:
    /\b(?:spawn|fork|uv_thread_create)\b.*\bEAGAIN\b|Resource temporarily unavailable|Cannot fork|pthread_create/,
}

/**
 * Which limit ended an application, as words that follow "it"; undefined: none is known to have. The kernel counts whom
 * it ended for memory; all else is only in the log of the application.
 *
 * @param log its last lines were written before it ended
 */
export function whyEnded(
  { exit, outOfMemory }: ExitRecord,
  limits: readonly LimitInForce[],
  log: string,
): string | undefined {
  if (outOfMemory !== undefined) return ranOut({ name: 'memory', value: outOfMemory })
  if (exit.code === 0 || exit.signal === 'SIGTERM') return undefined
  // What it said since it ended before.
  const said = tailOf(log).split(endMark).at(-2) ?? ''
  const text = said.slice(-lastWords)
  // The last one of them; one that it could continue with may have been before.
  const found = limits.map((limit) => ({ ...limit, at: lastMatch(text, signs[limit.name]) }))
  const [reached] = found.filter(({ at }) => at >= 0).toSorted((a, b) => b.at - a.at)
  return reached && ranOut(reached)
}

function lastMatch(text: string, sign: RegExp | undefined): number {
  return sign ? ([...text.matchAll(new RegExp(sign, 'gi'))].at(-1)?.index ?? -1) : -1
}

function ranOut({ name, value }: Pick<LimitInForce, 'name' | 'value'>): string {
  if (name === 'memory') return `ran out of its memory limit of ${value} MB`
  if (name === 'heap') return `ran out of its memory limit of ${value} MB for the heap`
  return `reached its limit of ${value} ${name === 'files' ? 'open files' : 'processes and threads'}`
}

function tailOf(file: string): string {
  let handle: number | undefined
  try {
    handle = openForeignSync(file)
    if (handle === undefined) return ''
    const { size } = fstatSync(handle)
    const buffer = Buffer.alloc(Math.min(size, tailBytes))
    return buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, size - buffer.length))
  } catch {
    return ''
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
