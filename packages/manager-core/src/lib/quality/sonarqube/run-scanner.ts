import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManagerError } from '../../../errors.js'
import { redact } from '../../runtime/redact.js'
import type { AnalysedApplication, QualityModule } from '../quality-server.js'
import { runTool } from '../run-tool.js'
import { externalIssues } from './external-issues.js'
import type { Scanner } from './find-scanner.js'
import type { SonarServer } from './web-api.js'

export interface ScanCall {
  readonly scanner: Scanner
  readonly server: SonarServer
  readonly project: string
  readonly application: AnalysedApplication
  readonly module: QualityModule
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** What the scanner says about the analysis that it has sent. */
export interface SentAnalysis {
  readonly taskId: string
  /** Page of the project. */
  readonly url?: string
}

/**
 * Has the scanner send the files of a module to the server, with what the lint of the application server found. Credentials
 * are in its environment, where no other user sees them, and never in its arguments. It runs as the manager's user: the
 * account of an instance could read the environment of its own processes.
 *
 * @throws ManagerError ERR_FAILED with what it printed
 */
export async function runScanner(call: ScanCall): Promise<SentAnalysis> {
  const { scanner, server, project, application, module, timeoutMs, signal } = call
  const folder = await mkdtemp(join(tmpdir(), 'steward-scan-'))
  try {
    const [work, issues] = [join(folder, 'work'), join(folder, 'issues.json')]
    await mkdir(work)
    const findings = application.findings.filter((finding) => finding.module === module.name)
    await writeFile(issues, JSON.stringify(externalIssues(findings)), { mode: 0o600 })
    const properties = {
      'sonar.host.url': server.url,
      'sonar.projectKey': project,
      'sonar.projectName': project,
      'sonar.projectBaseDir': application.folder,
      'sonar.sources': module.files.join(','),
      'sonar.working.directory': work,
      'sonar.externalIssuesReportPaths': issues,
      'sonar.scm.disabled': 'true',
      ...(server.organization !== undefined && { 'sonar.organization': server.organization }),
    }
    const [program, ...before] = scanner
    const args = [...before, ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`)]
    const { code, stdout, stderr } = await runTool(program, args, {
      folder: application.folder,
      environment: credentialsOf(server),
      home: folder,
      timeoutMs,
      signal,
    })
    if (code !== 0) {
      const output = withoutSecrets(`${stdout}\n${stderr}`.trim(), server).slice(-2000)
      throw new ManagerError(
        'ERR_FAILED',
        `The scanner failed for module ${module.name} (exit code ${code ?? 'none'}).`,
        {
          output,
          help: 'Read what it printed; it needs a server that runs, a valid token, and Java unless it brings its own.',
        },
      )
    }
    const text = await readFile(join(work, 'report-task.txt'), 'utf8').catch((cause: unknown) => {
      throw new ManagerError(
        'ERR_FAILED',
        'The scanner ended well, but sent no analysis (there is no report-task.txt).',
        {
          cause,
          help: 'APPS_QUALITY_SCANNER must be the SonarQube scanner.',
        },
      )
    })
    const values = new Map(text.split('\n').map((line) => splitOnce(line.trim())))
    const [taskId, url] = [values.get('ceTaskId'), values.get('dashboardUrl')]
    if (!taskId) throw new ManagerError('ERR_FAILED', "The scanner did not report the server's task.")
    return { taskId, ...(url !== undefined && { url }) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Servers before 10 take a login and a password; JSON because the scanners have no variables for these. */
function credentialsOf({ login, password }: SonarServer): Readonly<Record<string, string>> {
  if (login === undefined) return {}
  if (password === undefined) return { SONAR_TOKEN: login.reveal() }
  const parameters = { 'sonar.login': login.reveal(), 'sonar.password': password.reveal() }
  return { SONAR_SCANNER_JSON_PARAMS: JSON.stringify(parameters) }
}

function withoutSecrets(text: string, { login, password }: SonarServer): string {
  const secrets = [login, password].flatMap((secret) => (secret ? secret.reveal() : []))
  return redact(secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text))
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, Math.max(at, 0)), line.slice(at + 1)]
}
