import type { QualityIssue } from '../quality-server.js'

const severities = { error: 'HIGH', warning: 'MEDIUM', info: 'LOW' } as const
const engineId = 'steward'

/**
 * Findings in the generic format that servers from 10.3 on import, so that they show what is wrong with the model, too.
 * Source: SonarQube documentation, "Generic formatted issue reports". Findings without a file cannot be imported.
 */
export function externalIssues(findings: readonly QualityIssue[]): object {
  const rules = [...new Set(findings.map(({ rule }) => rule))]
  return {
    rules: rules.map((id) => ({
      id,
      name: id,
      description: `Rule ${id} of app-server --lint`,
      engineId,
      cleanCodeAttribute: 'LOGICAL',
      impacts: [{ softwareQuality: 'MAINTAINABILITY', severity: severityOf(id) }],
    })),
    issues: findings.flatMap(({ rule, message, file, line = 1 }) =>
      file === undefined
        ? []
        : [{ ruleId: rule, primaryLocation: { message, filePath: file, textRange: { startLine: line } } }],
    ),
  }

  function severityOf(rule: string): string {
    const found = findings.find((finding) => finding.rule === rule)
    return severities[found?.severity ?? 'info']
  }
}
