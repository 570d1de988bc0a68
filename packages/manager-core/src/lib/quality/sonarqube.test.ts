import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Secret } from '../domain/secret.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { testQualityServer } from './contract/quality-server-suite.js'
import { sonarqubeOptions } from './quality-of.js'
import type { AnalysedApplication } from './quality-server.js'
import { createSonarqubeQuality, type SonarqubeOptions } from './sonarqube/sonarqube-quality.js'

const token = 'squ_0123456789'
const folder = mkdtempSync(join(tmpdir(), 'steward-sonar-'))
const scanner = join(folder, 'sonar-scanner')
const app = join(folder, 'app')

/** What the server answers to these paths from now on; a list: one after the other, the last one again and again. */
let answers: Record<string, { status?: number; body?: unknown } | { status?: number; body?: unknown }[]>
let requests: { path: string; query: URLSearchParams; authorization: string | undefined }[]

const server = createServer((request: IncomingMessage, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://server')
  requests.push({ path: pathname, query: searchParams, authorization: request.headers.authorization })
  const given = answers[pathname]
  const { status = 200, body = {} } = (Array.isArray(given)
    ? given.length > 1
      ? given.shift()
      : given[0]
    : given) ?? { status: 404 }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
let url: string

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  mkdirSync(join(app, 'objects'), { recursive: true })
  writeFileSync(join(app, 'objects/a.ts'), 'export const a = 1\n')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const task = (status: string) => ({ body: { task: { status, analysisId: 'AN1', errorMessage: 'no space' } } })

beforeEach(() => {
  requests = []
  answers = {
    '/api/projects/create': {},
    '/api/ce/task': [task('PENDING'), task('IN_PROGRESS'), task('SUCCESS')],
    '/api/qualitygates/project_status': { body: { projectStatus: { status: 'ERROR' } } },
    '/api/measures/component': {
      body: {
        component: {
          measures: [
            { metric: 'bugs', value: '2' },
            { metric: 'coverage', value: '81.5' },
          ],
        },
      },
    },
    '/api/issues/search': {
      body: {
        paging: { total: 1 },
        issues: [
          {
            rule: 'typescript:S1854',
            severity: 'CRITICAL',
            component: 'shop-demo-objects:objects/a.ts',
            message: 'Dead store',
            line: 1,
          },
        ],
      },
    },
  }
  writeScanner()
})

/** A stand-in that keeps what it was given, and writes what the real one leaves. */
function writeScanner(more = ''): void {
  writeFileSync(
    scanner,
    `#!/bin/sh
printf '%s\\n' "$@" >${folder}/args
env >${folder}/environment
for arg; do case "$arg" in
  -Dsonar.working.directory=*) work=\${arg#*=};;
  -Dsonar.externalIssuesReportPaths=*) cp "\${arg#*=}" ${folder}/issues.json;;
esac; done
${more}
printf 'projectKey=x\\nceTaskId=T1\\ndashboardUrl=${url}/dashboard?id=x\\n' >$work/report-task.txt
`,
  )
  chmodSync(scanner, 0o755)
}

const application: AnalysedApplication = {
  instance: { id: '1', name: 'demo' },
  folder: app,
  findings: [
    { rule: 'slow-sort', severity: 'warning', message: 'Slow', module: 'objects', file: 'objects/a.ts', line: 1 },
    { rule: 'slow-sort', severity: 'warning', message: 'Elsewhere', module: 'app', file: 'app.yaml' },
  ],
}
const modules = [{ name: 'objects', files: ['objects/a.ts'] }]

function analyse(options: Partial<SonarqubeOptions> = {}) {
  const all = { url, login: new Secret(token), scanner, project: 'shop-demo', timeoutMs: 60_000, pollMs: 1, ...options }
  return createSonarqubeQuality(all).analyse(application, modules, {})
}

it('analyse() scans, waits for the task, and answers gate, measures and issues', async () => {
  const { reports } = await analyse({ organization: 'acme' })
  expect(reports).toEqual([
    {
      module: 'objects',
      project: 'shop-demo-objects',
      url: `${url}/dashboard?id=x`,
      gate: 'ERROR',
      measures: { bugs: 2, coverage: 81.5 },
      issues: [
        {
          rule: 'typescript:S1854',
          severity: 'error',
          message: 'Dead store',
          module: 'objects',
          file: 'objects/a.ts',
          line: 1,
        },
      ],
    },
  ])
  expect(requests.filter(({ path }) => path === '/api/ce/task')).toHaveLength(3)
  expect(requests.find(({ path }) => path === '/api/qualitygates/project_status')?.query.get('analysisId')).toBe('AN1')
  const args = readFileSync(join(folder, 'args'), 'utf8')
  expect(args).toContain('-Dsonar.projectKey=shop-demo-objects\n')
  expect(args).toContain('-Dsonar.sources=objects/a.ts\n')
  expect(args).toContain('-Dsonar.organization=acme\n')
  expect(JSON.parse(readFileSync(join(folder, 'issues.json'), 'utf8'))).toMatchObject({
    rules: [{ id: 'slow-sort', engineId: 'steward' }],
    issues: [
      {
        ruleId: 'slow-sort',
        primaryLocation: { message: 'Slow', filePath: 'objects/a.ts', textRange: { startLine: 1 } },
      },
    ],
  })
})

it('credentials are in the environment of the scanner and in headers, never in arguments', async () => {
  await analyse()
  expect(readFileSync(join(folder, 'args'), 'utf8')).not.toContain(token)
  expect(readFileSync(join(folder, 'environment'), 'utf8')).toContain(`SONAR_TOKEN=${token}\n`)
  expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${token}`]))
  requests = []
  await analyse({ login: new Secret('ann'), password: new Secret('pass-word') })
  expect(readFileSync(join(folder, 'args'), 'utf8')).not.toContain('pass-word')
  expect(readFileSync(join(folder, 'environment'), 'utf8')).toContain('"sonar.password":"pass-word"')
  expect(requests[0]?.authorization).toBe(`Basic ${Buffer.from('ann:pass-word').toString('base64')}`)
})

it.each([
  ['a refused token', () => (answers['/api/projects/create'] = { status: 401 }), 'ERR_ACCESS'],
  ['a token that may not browse', () => (answers['/api/issues/search'] = { status: 403 }), 'ERR_ACCESS'],
  ['an unknown path', () => (answers['/api/measures/component'] = { status: 404 }), 'ERR_NOT_FOUND'],
  ['a server in trouble', () => (answers['/api/ce/task'] = { status: 503 }), 'ERR_TARGET'],
  ['a task that fails', () => (answers['/api/ce/task'] = task('FAILED')), 'ERR_FAILED'],
])('analyse() with %s rejects with what to do, and no secret', async (_, prepare, code) => {
  prepare()
  const error = await analyse().then(
    () => undefined,
    (reason: unknown) => reason as Error & { code: string; output?: string },
  )
  expect(error?.code).toBe(code)
  expect(JSON.stringify([error?.message, error])).not.toContain(token)
})

it('analyse() gives a task that never ends up after the timeout, and names the setting', async () => {
  answers['/api/ce/task'] = task('PENDING')
  await expect(analyse({ taskTimeoutMs: 50 })).rejects.toMatchObject({
    message: expect.stringContaining('(PENDING)'),
    help: expect.stringContaining('APPS_QUALITY_TIMEOUT'),
  })
})

it('a token that may not create projects still analyses', async () => {
  answers['/api/projects/create'] = { status: 403 }
  expect((await analyse()).reports).toHaveLength(1)
})

it('a scanner that fails is shown without secrets; one that sends nothing, or is missing, says what to do', async () => {
  writeScanner('echo "cannot log in with $SONAR_TOKEN" >&2; exit 3')
  await expect(analyse()).rejects.toMatchObject({
    message: expect.stringContaining('exit code 3'),
    output: 'cannot log in with ***',
  })
  writeScanner('exit 0')
  await expect(analyse()).rejects.toMatchObject({ message: expect.stringContaining('report-task.txt') })
  await expect(analyse({ scanner: join(folder, 'none') })).rejects.toMatchObject({
    code: 'ERR_SETTINGS',
    message: expect.stringContaining('APPS_QUALITY_SCANNER'),
  })
})

it('a server that is unreachable is named', async () => {
  await expect(analyse({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({
    code: 'ERR_TARGET',
    message: 'The quality server http://127.0.0.1:1 does not answer.',
  })
})

it('probe() asks for state and credentials', async () => {
  const probe = () => createSonarqubeQuality({ url, login: new Secret(token), project: 'x', timeoutMs: 60_000 }).probe()
  answers['/api/system/status'] = { body: { status: 'UP', version: '10.7' } }
  answers['/api/authentication/validate'] = { body: { valid: true } }
  expect((await probe()).message).toContain('SonarQube 10.7')
  answers['/api/authentication/validate'] = { body: { valid: false } }
  await expect(probe()).rejects.toMatchObject({ code: 'ERR_ACCESS' })
  // Another program answers there.
  answers['/api/system/status'] = { body: { ok: true } }
  await expect(probe()).rejects.toMatchObject({
    code: 'ERR_TARGET',
    message: `${url} does not answer as SonarQube does.`,
  })
})

it('doctor settings --network asks the server that is set', async () => {
  const config = [`APPS_QUALITY_URL=${url}`, `APPS_QUALITY_LOGIN=${token}`]
  const manager = await createTestManager({ config, refresh: false })
  try {
    const look = async () => {
      const { list = [] } = await manager.perform('doctor', { category: 'settings', network: true })
      return list.find((row) => (row as { check: string }).check === 'quality-server')
    }
    answers['/api/system/status'] = { body: { status: 'UP', version: '10.7' } }
    answers['/api/authentication/validate'] = { body: { valid: true } }
    expect(await look()).toMatchObject({ level: 'ok', message: expect.stringContaining('SonarQube 10.7') })
    answers['/api/authentication/validate'] = { body: { valid: false } }
    expect(await look()).toMatchObject({ level: 'error', message: expect.stringContaining('refused the credentials') })
  } finally {
    await manager.close()
  }
})

it('sonarqubeOptions() needs a login or an address; those of the instance come first', () => {
  const quality = { url: 'https://sonarcloud.io', scanner: undefined, timeoutMs: 1000 }
  const settings = { baseUrl: 'https://apps.example.org:8443/x/', quality }
  const demo = { name: 'demo' }
  expect(sonarqubeOptions(settings, demo)).toBeUndefined()
  expect(sonarqubeOptions({ ...settings, quality: { ...quality, url } }, demo)).toMatchObject({
    url,
    project: 'apps.example.org-8443-x-demo',
  })
  const own = { quality: { login: new Secret('ann'), project: 'mine', organization: 'acme' } }
  const password = new Secret('of another login')
  expect(sonarqubeOptions({ ...settings, quality: { ...quality, password } }, demo, own)).toMatchObject({
    url: 'https://sonarcloud.io',
    login: own.quality.login,
    password: undefined,
    project: 'mine',
    organization: 'acme',
  })
})

testQualityServer('sonarqube', () => {
  const options = { login: new Secret(token), scanner, project: 'shop-demo', timeoutMs: 60_000, pollMs: 1 }
  answers['/api/system/status'] = { body: { status: 'UP', version: '10.4' } }
  answers['/api/authentication/validate'] = { body: { valid: true } }
  answers['/api/ce/task'] = task('SUCCESS')
  answers['/api/issues/search'] = { body: { paging: { total: 0 }, issues: [] } }
  return {
    server: createSonarqubeQuality({ ...options, url }),
    broken: createSonarqubeQuality({ ...options, url: 'http://127.0.0.1:1' }),
    secrets: [token],
  }
})
