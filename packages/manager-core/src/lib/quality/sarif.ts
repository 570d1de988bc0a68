import type { Json } from '../domain/json.js'
import type { QualityIssue } from './quality-server.js'
import type { QualityReport } from './report.js'

const levels = { error: 'error', warning: 'warning', info: 'note' } as const

/** A report in the format SARIF 2.1.0, which forges and editors read. */
export function sarifOf({ server, modules }: QualityReport): Json {
  const issues = modules.flatMap((module) => module.issues)
  const rules = [...new Set(issues.map(({ rule }) => rule))]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: `Steward (${server})`, rules: rules.map((id) => ({ id })) } },
        results: issues.map((issue) => ({
          ruleId: issue.rule,
          ruleIndex: rules.indexOf(issue.rule),
          level: levels[issue.severity],
          message: { text: issue.message },
          ...(issue.file !== undefined && { locations: [locationOf(issue, issue.file)] }),
        })),
      },
    ],
  }
}

function locationOf({ line, column }: QualityIssue, file: string): Json {
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(file) },
      ...(line !== undefined && { region: { startLine: line, ...(column !== undefined && { startColumn: column }) } }),
    },
  }
}
