import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readForeignFile, readForeignFolder } from '../../accounts/foreign.js'
import { give } from '../../accounts/give.js'
import { removeTree } from '../../accounts/remove-tree.js'
import { applicationCommand } from '../../application/application-command.js'
import { redact } from '../../runtime/redact.js'
import type { ServerContext } from '../../servers/application-server.js'
import { runTool } from '../run-tool.js'
import type { Checked, LocalCall } from './check.js'
import { coveredLines, type FileCoverage } from './coverage.js'

/** What unit tests gave. */
export interface UnitTestRun extends Checked {
  /** undefined: there are none, or they could not be run. */
  readonly tests?: { readonly total: number; readonly failed: number }
  /** Lines of code that they ran. */
  readonly coverage: readonly FileCoverage[]
}

interface Report {
  readonly failed: number
  readonly tests: readonly {
    readonly module: string
    readonly name: string
    readonly passed: boolean
    readonly message?: string
  }[]
}

/**
 * Runs the unit tests of an application with an SQLite database of their own in a temporary folder, which its set-up fills:
 * the data of the instance is neither needed nor touched.
 */
export async function runUnitTests(context: ServerContext, { application, ...call }: LocalCall): Promise<UnitTestRun> {
  const { folder: app, account, environment, modules } = application
  const own = modules.find(({ name }) => name === 'tests')?.files ?? []
  if (own.length === 0) return { issues: [], coverage: [], notes: ['There are no unit tests (folder tests).'] }
  const folder = await mkdtemp(join(tmpdir(), 'steward-quality-'))
  try {
    const [data, coverage] = [join(folder, 'data'), join(folder, 'coverage')]
    for (const each of [data, coverage]) await mkdir(each)
    if (account) await give(folder, account)
    const task = ['--unittests', '--json', '--data', data]
    const { args } = applicationCommand(context, { app, environment: {}, home: data }, task)
    const { stdout, stderr } = await runTool(process.execPath, args, {
      ...call,
      folder: app,
      account,
      home: data,
      environment: {
        ...environment,
        STEWARD_DATABASE: `sqlite:${join(data, 'tests.db')}`,
        STEWARD_LOG_LEVEL: 'silent',
        STEWARD_NEUTRALISED: 'true',
        NODE_V8_COVERAGE: coverage,
      },
    })
    const report = reportIn(stdout)
    if (!report) {
      const reason = redact(stderr.trim()).slice(0, 500)
      const message = `The unit tests could not be run: ${reason || 'the code of the application ended the process'}`
      return { issues: [{ rule: 'unit-test', severity: 'error', message }], coverage: [], notes: [] }
    }
    return {
      tests: { total: report.tests.length, failed: report.failed },
      issues: report.tests
        .filter(({ passed }) => !passed)
        .map(({ module, name, message = 'it failed' }) => ({
          rule: 'unit-test',
          severity: 'error',
          message: `${name}: ${message}`,
          ...fileOf(module, own),
        })),
      coverage: await readCoverage(coverage, app, account?.uid),
      notes: [],
    }
  } finally {
    await removeTree(folder, account)
  }
}

function fileOf(module: string, files: readonly string[]) {
  const file = files.find((name) => name.replace(/\.[cm]?[jt]s$/, '') === `tests/${module}`)
  return file === undefined ? {} : { file }
}

/** The last line: code of the application may print, too. */
function reportIn(output: string): Report | undefined {
  try {
    const report = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Partial<Report>
    return Array.isArray(report.tests) && report.failed !== undefined ? (report as Report) : undefined
  } catch {
    return undefined
  }
}

/** Node writes one for each process and thread. Code of the application may write what it likes. */
const mostReports = 1000
const mostBytes = 64 * 2 ** 20

function scriptsIn(text: string): readonly Parameters<typeof coveredLines>[0][] {
  try {
    const { result } = JSON.parse(text) as { readonly result?: Parameters<typeof coveredLines>[0][] }
    return Array.isArray(result) ? result.filter(({ url }) => typeof url === 'string') : []
  } catch {
    return []
  }
}

/** Covers the application's own code; tests are not what they test. */
async function readCoverage(folder: string, app: string, owner: number | undefined): Promise<readonly FileCoverage[]> {
  const files: FileCoverage[] = []
  for (const name of (await readForeignFolder(folder)).slice(0, mostReports)) {
    const text = readForeignFile(join(folder, name), owner, mostBytes)
    for (const script of text === undefined ? [] : scriptsIn(text)) {
      if (!script.url.startsWith('file:')) continue
      const path = fileURLToPath(script.url.replace(/\?.*$/, ''))
      const file = relative(app, path)
      if (file.startsWith('..') || /^(?:node_modules|tests)\//.test(file)) continue
      const code = readForeignFile(path, owner, mostBytes)
      if (code !== undefined) files.push({ file, ...coveredLines(script, code) })
    }
  }
  return files
}
