import type { ModuleReport, QualityIssue } from './quality-server.js'
import type { QualityReport } from './report.js'

/** A report as lines: issues as compilers print them, then a line per module. */
export function reportText({ instance, server, at, gate, notes, modules }: QualityReport): string {
  const head = `Code quality of "${instance}" (${server}, ${at}): gate ${gate}`
  const issues = modules.flatMap((module) => module.issues.map(issueText))
  return [head, ...issues, ...notes.map((note) => `Note: ${note}`), ...modules.map(moduleText)].join('\n')
}

function issueText({ file, line, column, severity, rule, message }: QualityIssue): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  return `${place === '' ? '' : `${place}: `}${severity} ${rule}: ${message}`
}

function moduleText({ module, gate, measures, url }: ModuleReport): string {
  const numbers = Object.entries(measures).map(([name, value]) => `${name} ${value}`)
  return [`${module}: ${gate}`, ...numbers, ...(url === undefined ? [] : [url])].join(', ')
}
