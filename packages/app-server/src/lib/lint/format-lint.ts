import type { LintSeverity } from '@steward/rest-core/lint'
import type { ApplicationLint } from './lint-application.js'

/** Lines for people, as compilers print them. */
export function formatLint({ findings, skipped }: ApplicationLint): string {
  const lines = findings.map(({ file, line, column, severity, rule, message }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(':')
    return `${place === '' ? '' : `${place}: `}${severity} ${rule}: ${message}`
  })
  const counted = (severity: LintSeverity, noun: string) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return `${count} ${noun}${count === 1 ? '' : 's'}`
  }
  const total = `${counted('error', 'error')}, ${counted('warning', 'warning')}, ${counted('info', 'hint')}`
  return `${[...lines, ...skipped.map((text) => `Not checked: ${text}`), total].join('\n')}\n`
}
