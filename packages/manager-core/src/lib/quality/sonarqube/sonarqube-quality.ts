import { setTimeout as pause } from 'node:timers/promises'
import { ManagerError } from '../../../errors.js'
import type {
  AnalysisOptions,
  ModuleReport,
  QualityGate,
  QualityIssue,
  QualityModule,
  QualityServer,
} from '../quality-server.js'
import { findScanner } from './find-scanner.js'
import { runScanner } from './run-scanner.js'
import { createWebApi, type SonarServer, type WebApi } from './web-api.js'

export interface SonarqubeOptions extends SonarServer {
  /** Absolute path of the scanner. Default: the first one that is found. */
  readonly scanner?: string | undefined
  /** What keys of projects start with; `-<module>` follows. */
  readonly project: string
  /** How long the scanner may take for a module. */
  readonly timeoutMs: number
  /** How long the server may take for it then. Default: as long. */
  readonly taskTimeoutMs?: number
  /** Between two looks at a task. Default 1000. */
  readonly pollMs?: number
}

const metrics = 'ncloc,violations,bugs,vulnerabilities,code_smells,coverage,duplicated_lines_density'
/** The web API gives no more than 10,000 in all. */
const pageSize = 500
const mostPages = 20

interface Task {
  readonly task: { readonly status: string; readonly analysisId?: string; readonly errorMessage?: string }
}
interface Gate {
  readonly projectStatus: { readonly status: string }
}
interface Measures {
  readonly component: { readonly measures: readonly { readonly metric: string; readonly value?: string }[] }
}
interface Issues {
  readonly paging: { readonly total: number }
  readonly issues: readonly {
    readonly rule: string
    readonly severity?: string
    readonly component: string
    readonly message: string
    readonly line?: number
  }[]
}

/** Analyses with a server that speaks the web API of SonarQube. Checks options only; nothing is connected to. */
export function createSonarqubeQuality(options: SonarqubeOptions): QualityServer {
  const { timeoutMs, taskTimeoutMs = timeoutMs, pollMs = 1000, scanner: setting } = options
  const server: SonarServer = { ...options, url: options.url.replace(/\/+$/, '') }
  const api = createWebApi(server)
  return {
    name: 'sonarqube',
    async probe(signal) {
      const { status, version } = await api.get<{ status: string; version: string }>('api/system/status', {}, signal)
      if (typeof status !== 'string')
        throw new ManagerError('ERR_TARGET', `${server.url} does not answer as SonarQube does.`, {
          help: 'Check APPS_QUALITY_URL: another program may answer there.',
        })
      const { valid } = await api.get<{ valid: boolean }>('api/authentication/validate', {}, signal)
      if (!valid)
        throw new ManagerError('ERR_ACCESS', `The quality server ${server.url} refused the credentials.`, {
          help: 'Set APPS_QUALITY_LOGIN to a valid token.',
        })
      if (status !== 'UP') throw new ManagerError('ERR_TARGET', `The quality server ${server.url} is ${status}.`)
      return { message: `SonarQube ${version} at ${server.url} takes the credentials.` }
    },
    async analyse(application, modules, { signal, onProgress }) {
      const scanner = findScanner(setting, application.folder)
      const reports: ModuleReport[] = []
      for (const module of modules) {
        const project = projectKey(options.project, module)
        onProgress?.(`Scanning ${module.name}`)
        // A token that may not create projects can still analyse those that exist.
        await api.tryPost('api/projects/create', { name: project, project }, signal)
        const sent = await runScanner({ scanner, server, project, application, module, timeoutMs, signal })
        onProgress?.(`Waiting for ${server.url}`)
        const analysis = await untilDone(sent.taskId, signal)
        reports.push({
          module: module.name,
          project,
          ...(sent.url !== undefined && { url: sent.url }),
          gate: await gateOf(api, project, analysis, signal),
          measures: await measuresOf(api, project, signal),
          issues: await issuesOf(api, project, module.name, signal),
        })
      }
      return { reports, notes: [] }
    },
  }

  /** @returns the id of the analysis, when the server says it */
  async function untilDone(id: string, signal: AnalysisOptions['signal']): Promise<string | undefined> {
    const end = AbortSignal.timeout(taskTimeoutMs)
    for (;;) {
      const { task } = await api.get<Task>('api/ce/task', { id }, signal)
      if (task.status === 'SUCCESS') return task.analysisId
      if (task.status === 'FAILED' || task.status === 'CANCELED')
        throw new ManagerError('ERR_FAILED', `The quality server ended task ${id} as ${task.status}.`, {
          help: 'Look at the background tasks of the project on the server.',
          ...(task.errorMessage !== undefined && { output: task.errorMessage }),
        })
      if (end.aborted)
        throw new ManagerError(
          'ERR_FAILED',
          `The quality server did not finish task ${id} within ${taskTimeoutMs / 1000} seconds (${task.status}).`,
          { help: 'Set APPS_QUALITY_TIMEOUT to more seconds, and look at the background tasks of the server.' },
        )
      await pause(pollMs, undefined, signal && { signal })
    }
  }
}

/** Keys may have letters, digits and `-_.:`. */
export function projectKey(prefix: string, { name }: Pick<QualityModule, 'name'>): string {
  return `${prefix}-${name}`.replaceAll(/[^\w.:-]/g, '-')
}

async function gateOf(
  api: WebApi,
  projectKey: string,
  analysisId: string | undefined,
  signal?: AbortSignal,
): Promise<QualityGate> {
  const query: Record<string, string> = analysisId === undefined ? { projectKey } : { analysisId }
  const { projectStatus } = await api.get<Gate>('api/qualitygates/project_status', query, signal)
  return (['OK', 'WARN', 'ERROR'] as const).find((gate) => gate === projectStatus.status) ?? 'NONE'
}

async function measuresOf(api: WebApi, component: string, signal?: AbortSignal): Promise<ModuleReport['measures']> {
  const found = await api.get<Measures>('api/measures/component', { component, metricKeys: metrics }, signal)
  return Object.fromEntries(
    found.component.measures.flatMap(({ metric, value }) => (value === undefined ? [] : [[metric, Number(value)]])),
  )
}

async function issuesOf(api: WebApi, project: string, module: string, signal?: AbortSignal): Promise<QualityIssue[]> {
  const issues: QualityIssue[] = []
  for (let page = 1; page <= mostPages; page++) {
    const query = { componentKeys: project, resolved: 'false', ps: String(pageSize), p: String(page) }
    const { paging, issues: found } = await api.get<Issues>('api/issues/search', query, signal)
    for (const { rule, severity, component, message, line } of found) {
      const file = component.slice(component.indexOf(':', project.length) + 1)
      issues.push({
        rule,
        severity: severityOf(severity),
        message,
        module,
        ...(component !== project && { file }),
        ...(line !== undefined && { line }),
      })
    }
    if (found.length === 0 || issues.length >= paging.total) break
  }
  return issues
}

function severityOf(severity: string | undefined): QualityIssue['severity'] {
  if (severity === 'BLOCKER' || severity === 'CRITICAL') return 'error'
  return severity === 'MAJOR' ? 'warning' : 'info'
}
