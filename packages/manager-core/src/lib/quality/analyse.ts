import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { lintInstance } from './analysed-application.js'
import { chooseModules } from './choose-modules.js'
import { qualityOf } from './quality-of.js'
import { keepReport, worstGate, type QualityReport } from './report.js'

/**
 * Analyses modules of the application of an instance, and keeps the report.
 *
 * @param names of modules; none: all
 * @throws ManagerError
 */
export async function analyse(
  context: ManagerContext,
  { signal, onEvent }: Caller,
  instance: Instance,
  names: readonly string[],
): Promise<QualityReport> {
  const { timeoutMs } = context.settings.global.quality
  const own = await context.settings.instance(context.home.instance(instance.id).folder)
  const onProgress = (text: string) => onEvent?.({ type: 'progress', step: 'quality', text })
  onProgress('Linting the model')
  const application = await lintInstance(context, instance, { signal, timeoutMs })
  const modules = chooseModules(application.modules, names)
  const { server, note } = qualityOf(context, application, own)
  const { reports, notes } = await server.analyse(application, modules, { signal, onProgress })
  const report: QualityReport = {
    format: 'steward-quality',
    version: 1,
    instance: instance.name,
    application: instance.version,
    server: server.name,
    at: context.clock().toISOString(),
    gate: worstGate(reports.map(({ gate }) => gate)),
    notes: [...(note === undefined ? [] : [note]), ...notes],
    modules: reports,
  }
  await keepReport(context, instance, report)
  return report
}
