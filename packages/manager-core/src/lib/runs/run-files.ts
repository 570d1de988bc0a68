import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import { writePrivateFile } from '../files/write-private-file.js'
import { identify, stateOf, type ProcessIdentity, type ProcessState } from '../system/process-identity.js'
import type { RunEvent, RunRequest, RunResult } from './run.js'
import { isRunId } from './run-id.js'

/** Files of runs, a folder each: `home/runs/<id>/`. */
export interface RunFiles {
  /** Newest first. */
  ids(): Promise<readonly string[]>
  create(request: RunRequest): Promise<void>
  request(id: string): RunRequest | undefined
  /** Who performs it; undefined: no process yet. */
  worker(id: string): ProcessIdentity | undefined
  /** This process performs it from now on. @returns false when another one does or did */
  claim(id: string): boolean
  result(id: string): RunResult | undefined
  hasEnded(id: string): boolean
  finish(id: string, result: RunResult): Promise<void>
  /** Whole lines from an offset in bytes on. */
  events(id: string, from?: number): { readonly events: readonly RunEvent[]; readonly end: number }
  eventsFile(id: string): string
  /** What the worker printed, which should be nothing. */
  logFile(id: string): string
  remove(id: string): Promise<void>
}

export function createRunFiles(folder: string): RunFiles {
  // Nothing else than an id is ever part of a path.
  const at = (id: string, file: string) => join(folder, isRunId(id) ? id : '-', file)
  return {
    async ids() {
      const names = await readdir(folder).catch(ifMissing<string[]>([]))
      return names.filter(isRunId).toSorted().toReversed()
    },
    async create(request) {
      await mkdir(join(folder, request.id), { recursive: true, mode: 0o700 })
      await writePrivateFile(at(request.id, 'request.json'), JSON.stringify(request))
    },
    request: (id) => read(at(id, 'request.json')) as RunRequest | undefined,
    worker: (id) => read(at(id, 'worker.json')) as ProcessIdentity | undefined,
    claim(id) {
      const draft = at(id, `worker.${process.pid}`)
      writeFileSync(draft, JSON.stringify(identify(process.pid)), { mode: 0o600 })
      try {
        // Unlike a rename it fails when the file is there already.
        linkSync(draft, at(id, 'worker.json'))
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      } finally {
        rmSync(draft, { force: true })
      }
    },
    result: (id) => read(at(id, 'result.json')) as RunResult | undefined,
    hasEnded: (id) => existsSync(at(id, 'result.json')),
    finish: (id, result) => writePrivateFile(at(id, 'result.json'), JSON.stringify(result)),
    events: (id, from = 0) => readLines(at(id, 'events.ndjson'), from),
    eventsFile: (id) => at(id, 'events.ndjson'),
    logFile: (id) => at(id, 'worker.log'),
    remove: (id) => removeTree(join(folder, id)),
  }
}

export interface RunOutcome {
  /** undefined: no process has started it yet */
  readonly worker: ProcessState | undefined
  readonly result: RunResult | undefined
}

/** The worker is looked at first: what one that is dead wrote last is in the result. */
export function outcomeOf(files: Pick<RunFiles, 'worker' | 'result'>, id: string): RunOutcome {
  const identity = files.worker(id)
  return { worker: identity && stateOf(identity), result: files.result(id) }
}

/** undefined: it is not there, or was not written wholly before the disk was full. */
function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    return ifMissing(undefined)(error)
  }
}

function readLines(file: string, from: number) {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    return ifMissing({ events: [], end: from })(error)
  }
  try {
    const size = fstatSync(handle).size
    if (size <= from) return { events: [], end: from }
    const bytes = Buffer.alloc(size - from)
    const whole = bytes.subarray(
      0,
      bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, from)).lastIndexOf(10) + 1,
    )
    return { events: whole.toString('utf8').split('\n').flatMap(eventOf), end: from + whole.length }
  } finally {
    closeSync(handle)
  }
}

/** None when the line was not written wholly before the disk was full. */
function eventOf(line: string): readonly RunEvent[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as RunEvent]
  } catch {
    return []
  }
}

/** @throws other failures than that nothing is there */
function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value
    throw error
  }
}
