import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { makeFolder } from '../../accounts/places.js'
import { foreignOwner, readForeignBytes } from '../../accounts/foreign.js'
import { removeTree } from '../../accounts/remove-tree.js'
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
 * account of an instance could read the environment of its own processes. So it gets a copy of the files, without links and
 * without settings for itself, which name programs that it starts.
 *
 * @throws ManagerError ERR_FAILED with what it printed
 */
export async function runScanner(call: ScanCall): Promise<SentAnalysis> {
  const { scanner, server, project, application, module, timeoutMs, signal } = call
  const folder = await mkdtemp(join(tmpdir(), 'steward-scan-'))
  try {
    const [work, issues, sources] = [join(folder, 'work'), join(folder, 'issues.json'), join(folder, 'sources')]
    await mkdir(work)
    const files = await copySources(application.folder, module.files, sources)
    const findings = application.findings.filter((finding) => finding.module === module.name)
    await writeFile(issues, JSON.stringify(externalIssues(findings)), { mode: 0o600 })
    const properties = {
      'sonar.host.url': server.url,
      'sonar.projectKey': project,
      'sonar.projectName': project,
      'sonar.projectBaseDir': sources,
      'sonar.sources': files.join(','),
      'sonar.working.directory': work,
      'sonar.externalIssuesReportPaths': issues,
      'sonar.scm.disabled': 'true',
      ...(server.organization !== undefined && { 'sonar.organization': server.organization }),
    }
    const [program, ...before] = scanner
    const args = [...before, ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`)]
    const { code, stdout, stderr } = await runTool(program, args, {
      folder: sources,
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
    await removeTree(folder)
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

/** No source code is larger, in bytes. */
const mostBytes = 16 * 2 ** 20

/** Copies files of an application, those that are the application's own. @returns their names */
async function copySources(app: string, files: readonly string[], to: string): Promise<readonly string[]> {
  await mkdir(to)
  const owner = foreignOwner(app)
  const copied: string[] = []
  // The names come from its code.
  for (const file of files.filter(isPlain)) {
    const content = readForeignBytes(join(app, file), owner, mostBytes)
    if (!content) continue
    await makeFolder(dirname(join(to, file)))
    await writeFile(join(to, file), content)
    copied.push(file)
  }
  return copied
}

/** A path below a folder that can stand in a list, and none of a file with settings of the scanner. */
function isPlain(file: string): boolean {
  if (isAbsolute(file) || file.split('/').includes('..') || /[,\p{Cc}]/u.test(file)) return false
  return !/^sonar-.*\.properties$/i.test(basename(file))
}
