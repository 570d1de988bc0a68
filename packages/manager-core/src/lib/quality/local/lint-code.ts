import { relative } from 'node:path'
import { runTool } from '../run-tool.js'
import type { QualityIssue } from '../quality-server.js'
import { commandFrom, packagePlaces } from '../resolve-package.js'
import type { Checked, LocalCall } from './check.js'

const codeEnding = /\.[cm]?[jt]s$/

/**
 * What a linter finds in the code of an application, with the application's configuration, if it has one: oxlint, else
 * ESLint, of the application, else of the manager.
 */
export async function lintCode({ application, ...call }: LocalCall, all: readonly string[]): Promise<Checked> {
  const { folder, account, data } = application
  const files = all.filter((file) => codeEnding.test(file))
  if (files.length === 0) return { issues: [], notes: [] }
  const [found] = packagePlaces(folder).flatMap((place) =>
    linters.flatMap((linter) => {
      const command = commandFrom(place, linter.name, linter.name)
      return command === undefined ? [] : [{ ...linter, command }]
    }),
  )
  if (found) {
    const { name, read, command } = found
    const { stdout, stderr } = await runTool(process.execPath, [command, '--format', 'json', ...files], {
      ...call,
      folder,
      account,
      home: data,
    })
    const issues = read(stdout, folder)
    if (issues) return { issues, notes: [] }
    const [reason = 'it printed no report'] = stderr.trim().split('\n')
    return { issues: [], notes: [`Code is not linted: ${name} failed: ${reason.slice(0, 300)}`] }
  }
  return {
    issues: [],
    notes: ['Code is not linted: neither the application nor the manager has oxlint or eslint.'],
  }
}

type Issue = Omit<QualityIssue, 'module'>

interface Linter {
  readonly name: 'oxlint' | 'eslint'
  /** undefined: it is not a report. */
  readonly read: (output: string, folder: string) => readonly Issue[] | undefined
}

const linters: readonly Linter[] = [
  { name: 'oxlint', read: readOxlint },
  { name: 'eslint', read: readEslint },
]

interface OxlintReport {
  readonly diagnostics: readonly {
    readonly message: string
    readonly code?: string
    readonly severity: string
    readonly filename: string
    readonly labels?: readonly { readonly span: { readonly line: number; readonly column: number } }[]
  }[]
}

function readOxlint(output: string): readonly Issue[] | undefined {
  const report = parsed(output) as OxlintReport | undefined
  return report?.diagnostics.map(({ message, code = 'oxlint', severity, filename, labels }) => {
    const [first] = labels ?? []
    return {
      rule: code,
      severity: severity === 'error' ? 'error' : 'warning',
      message,
      file: filename,
      ...(first && { line: first.span.line, column: first.span.column }),
    }
  })
}

type EslintReport = readonly {
  readonly filePath: string
  readonly messages: readonly {
    readonly ruleId: string | null
    readonly severity: 1 | 2
    readonly message: string
    readonly line?: number
    readonly column?: number
  }[]
}[]

function readEslint(output: string, folder: string): readonly Issue[] | undefined {
  return (parsed(output) as EslintReport | undefined)?.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, severity, message, line, column }) => ({
      rule: ruleId ?? 'eslint',
      severity: severity === 2 ? 'error' : 'warning',
      message,
      file: relative(folder, filePath),
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    })),
  )
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return undefined
  }
}
