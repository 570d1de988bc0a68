import type { LintedApplication } from '../analysed-application.js'
import type { ModuleReport, QualityIssue, QualityModule, QualityServer } from '../quality-server.js'
import { lintCode } from './lint-code.js'
import { runUnitTests, type UnitTestRun } from './run-unit-tests.js'
import { checkTypes } from './check-types.js'
import type { ServerContext } from '../../servers/application-server.js'

export interface LocalQualityOptions {
  readonly context: ServerContext
  readonly application: LintedApplication
  readonly timeoutMs: number
}

/**
 * Analyses on this machine, without any server: the lint of the application server, types, the linter that the application
 * or the manager has, and unit tests with coverage. Its gate fails when there is an error; a failed test is one.
 */
export function createLocalQuality({ context, application, timeoutMs }: LocalQualityOptions): QualityServer {
  return {
    name: 'local',
    async probe() {
      return { message: 'Analyses run on this machine.' }
    },
    async analyse({ findings }, modules, { signal, onProgress }) {
      const call = { application, timeoutMs, signal }
      const files = application.modules.flatMap((module) => module.files)
      onProgress?.('Checking types')
      const types = await checkTypes(call)
      onProgress?.('Linting code')
      const code = await lintCode(call, files)
      onProgress?.('Running unit tests')
      const tests = await runUnitTests(context, call)
      const others = [...types.issues, ...code.issues, ...tests.issues]
      const issues = [...findings, ...others.map((issue) => ({ ...issue, module: moduleOf(issue.file, application) }))]
      return {
        reports: modules.map((module) => reportOf(module, issues, tests)),
        notes: [...application.skipped, ...types.notes, ...code.notes, ...tests.notes],
      }
    },
  }
}

function moduleOf(file: string | undefined, { modules }: LintedApplication): string {
  return modules.find(({ files }) => file !== undefined && files.includes(file))?.name ?? 'app'
}

function reportOf({ name, files }: QualityModule, all: readonly QualityIssue[], tests: UnitTestRun): ModuleReport {
  const issues = all.filter(({ module }) => module === name)
  const count = (severity: QualityIssue['severity']) => issues.filter((issue) => issue.severity === severity).length
  const [errors, warnings] = [count('error'), count('warning')]
  const covered = tests.coverage.filter(({ file }) => files.includes(file))
  const lines = sum(covered.map((each) => each.lines))
  return {
    module: name,
    gate: errors > 0 ? 'ERROR' : warnings > 0 ? 'WARN' : 'OK',
    measures: {
      files: files.length,
      errors,
      warnings,
      infos: count('info'),
      // Test modules are a folder of the application.
      ...(name === 'tests' &&
        tests.tests !== undefined && { tests: tests.tests.total, failed_tests: tests.tests.failed }),
      ...(lines > 0 && { coverage: Math.round((sum(covered.map((each) => each.covered)) / lines) * 1000) / 10 }),
    },
    issues,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
