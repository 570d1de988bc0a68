import type { Action, ActionResult, Option } from '../action.js'
import { recordHistory } from '../history/record-history.js'
import { analyse } from '../quality/analyse.js'
import { analysable, analyseAll } from '../quality/analyse-all.js'
import { reportText } from '../quality/report-text.js'
import { latestReport, type QualityReport } from '../quality/report.js'
import { sarifOf } from '../quality/sarif.js'
import { defineAction } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

const sarif = { name: 'sarif', type: 'flag', summary: 'The report as a SARIF file' } as const satisfies Option

const quality = defineAction({
  name: 'quality',
  aliases: ['sonar'],
  group: 'Application',
  summary: 'Analyse the code quality of an instance',
  description:
    'With the server of APPS_QUALITY_URL and APPS_QUALITY_LOGIN (SonarQube), whose scanner is found in the PATH; without ' +
    'one on this machine: the model, types, code and unit tests with coverage. A module is a folder of the application ' +
    'with objects or code; app is what lies beside app.yaml. The report is kept, see quality-report. Ends with 1 when ' +
    'the gate fails.',
  parameters: [
    nameOfInstance,
    { name: 'modules', type: 'text', variadic: true, summary: 'Names of modules (default: all)' },
  ],
  options: [sarif],
  ability: 'operate',
  mutating: true,
  examples: ['quality demo', 'quality demo objects', 'quality demo --json', 'quality demo --sarif'],
  view: { type: 'text' },
  handler({ context, input, caller }) {
    const { name: instance, modules = [] } = input
    if (caller.dryRun) return { message: `Would analyse "${instance.name}".` }
    return recordHistory(context, caller, { action: 'quality', instance, parameters: { modules } }, async () =>
      answer(await analyse(context, caller, instance, modules), input.sarif),
    )
  },
})

const qualityReport = defineAction({
  name: 'quality-report',
  group: 'Application',
  summary: 'Show the latest code-quality report of an instance',
  description: 'Ends with 1 when the gate failed.',
  parameters: [nameOfInstance],
  options: [sarif],
  ability: 'read',
  mutating: false,
  examples: ['quality-report demo', 'quality-report demo --json', 'quality-report demo --sarif'],
  view: { type: 'text' },
  async handler({ context, input }) {
    return answer(await latestReport(context, input.name), input.sarif)
  },
})

const qualityAll = defineAction({
  name: 'qualityall',
  group: 'Application',
  summary: 'Analyse the code quality of all instances',
  description:
    'One after the other, within APPS_WINDOW when it is set; Java web applications are left out. Failures and failed ' +
    'gates are mailed to APPS_EMAIL. Ends with 1 then. schedule install --qualityall 05:00 does it every night.',
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['qualityall', 'qualityall --dry-run'],
  view: { type: 'table', columns: ['name', 'result', 'gate', 'message'], empty: 'There are no instances.' },
  async handler({ context, caller }) {
    if (caller.dryRun) {
      const list = analysable(context).map(({ name }) => ({ name, result: 'would be analysed', gate: '', message: '' }))
      return { message: `${list.length} would be analysed.`, list }
    }
    return recordHistory(context, caller, { action: 'qualityall' }, async () => {
      const { entries, warnings } = await analyseAll(context, caller)
      const failed = entries.filter(({ result }) => result === 'failed').length
      return {
        message: `${entries.length - failed} of ${entries.length} passed.`,
        list: entries,
        ...(warnings.length > 0 && { warnings }),
        ...(failed > 0 && { exitCode: 1 }),
      }
    })
  },
})

function answer(report: QualityReport, asSarif: boolean): ActionResult {
  const exitCode = report.gate === 'ERROR' ? 1 : 0
  if (!asSarif) return { message: reportText(report), item: report, exitCode }
  const text = `${JSON.stringify(sarifOf(report), null, 2)}\n`
  const file = {
    name: `quality-${report.instance}.sarif`,
    mime: 'application/sarif+json',
    content: async function* () {
      yield new TextEncoder().encode(text)
    },
  }
  return { message: `Code quality of "${report.instance}": gate ${report.gate}`, file, exitCode }
}

export const qualityActions: readonly Action[] = [quality, qualityReport, qualityAll]
