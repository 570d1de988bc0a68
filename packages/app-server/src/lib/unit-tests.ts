import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import { systemPrincipal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { importModule } from './application-modules.js'

/** What a unit test of an application is given. Everything it writes is undone. */
export interface UnitTestContext {
  readonly service: BusinessObjects
  /** May do everything. */
  readonly principal: Principal
  /** `node:assert/strict`. */
  readonly assert: typeof assert
}

export type UnitTest = (context: UnitTestContext) => void | Promise<void>

export interface UnitTestResult {
  readonly module: string
  readonly name: string
  readonly passed: boolean
  readonly milliseconds: number
  /** Why it failed. */
  readonly message?: string
}

export interface UnitTestReport {
  readonly passed: number
  readonly failed: number
  readonly tests: readonly UnitTestResult[]
}

export interface UnitTestOptions {
  /** The application's folder; its modules are in `tests`. */
  readonly folder: string
  /** A module's name, without its ending. Default: all. */
  readonly name?: string | undefined
  /** How long one test may take, in ms. Default 60,000. */
  readonly timeoutMs?: number
}

const ending = /\.(?:ts|mts|js|mjs)$/

/**
 * Runs test modules of an application (`tests/<name>.ts`): its default export, a function or functions by name, and the
 * functions that it exports by name. Each test runs in a transaction that is undone.
 *
 * @throws RestError ERR_NOT_FOUND when there is no such module
 */
export async function runUnitTests(
  service: BusinessObjects,
  { folder, name, timeoutMs = 60_000 }: UnitTestOptions,
): Promise<UnitTestReport> {
  const files = await findModules(join(folder, 'tests'), name)
  const tests: UnitTestResult[] = []
  for (const file of files) {
    const module = file.replace(ending, '')
    try {
      for (const [title, test] of await loadTests(join(folder, 'tests', file)))
        tests.push(await run(service, { module, title, test, timeoutMs }))
    } catch (error) {
      tests.push({ module, name: 'load', passed: false, milliseconds: 0, message: messageOf(error) })
    }
  }
  const passed = tests.filter((test) => test.passed).length
  return { passed, failed: tests.length - passed, tests }
}

/** A line per test, and why it failed. */
export function formatReport({ passed, failed, tests }: UnitTestReport): string {
  const lines = tests.map(
    ({ module, name, passed: ok, milliseconds, message }) =>
      `${ok ? 'passed' : 'FAILED'} ${module}: ${name} (${milliseconds} ms)${message === undefined ? '' : `\n  ${message.replaceAll('\n', '\n  ')}`}`,
  )
  return [...lines, `${passed} passed, ${failed} failed`].join('\n')
}

async function findModules(folder: string, name: string | undefined): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !/^[._]|\.(?:test|d)\./.test(entry.name))
    .map((entry) => entry.name)
    .toSorted()
  // Only names that are there are compared, so that none can lead outside of the folder.
  const found = name === undefined ? files : files.filter((file) => file.replace(ending, '') === name)
  if (found.length > 0) return found
  const known = files.map((file) => file.replace(ending, '')).join(', ') || 'none'
  throw new RestError(
    'ERR_NOT_FOUND',
    name === undefined
      ? 'The application has no test modules; put them into its folder "tests".'
      : `There is no test module "${name.slice(0, 100)}" in the folder "tests" of the application; there are: ${known}.`,
  )
}

async function loadTests(path: string): Promise<[string, UnitTest][]> {
  const { mtimeMs } = await stat(path)
  // A module that was changed is loaded again.
  const { default: standard, ...named } = await importModule(path, mtimeMs)
  const all: [string, unknown][] =
    typeof standard === 'function'
      ? [[standard.name || 'default', standard], ...Object.entries(named)]
      : Object.entries({ ...(standard as object | undefined), ...named })
  const tests = all.filter((entry): entry is [string, UnitTest] => typeof entry[1] === 'function')
  if (tests.length === 0) throw new Error('The module exports no function; export default async ({ service }) => …')
  return tests
}

async function run(
  service: BusinessObjects,
  { module, title, test, timeoutMs }: { module: string; title: string; test: UnitTest; timeoutMs: number },
): Promise<UnitTestResult> {
  const begin = performance.now()
  const result = (message?: string): UnitTestResult => ({
    module,
    name: title,
    passed: message === undefined,
    milliseconds: Math.round(performance.now() - begin),
    ...(message !== undefined && { message }),
  })
  const principal = systemPrincipal({ login: 'unittests' })
  try {
    await service.dryRun((inside) => withTimeout(async () => test({ service: inside, principal, assert }), timeoutMs))
    return result()
  } catch (error) {
    return result(messageOf(error))
  }
}

async function withTimeout(work: () => Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It takes longer than ${timeoutMs} ms.`)), timeoutMs)
  })
  try {
    await Promise.race([work(), end])
  } finally {
    clearTimeout(timer)
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (RestError.is(error) && error.messages.length > 1) return error.messages.map((each) => each.text).join('\n')
  return text.replace(/\n\s*(?=\n|$)/g, '')
}
