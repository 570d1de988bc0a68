import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { packTar } from 'modern-tar/fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { packageClosure } from '../packages/manager-core/src/lib/files/package-closure.js'
import { createContainerEngine } from '../packages/manager-core/src/lib/runtime/container/engine.js'
import { imageOf } from '../packages/manager-core/src/lib/runtime/container/image.js'
import { dockerIsMissing, startDocker, type TestDocker } from './servers/index.js'
import { takeTestPort } from '../packages/manager-core/src/lib/testing/take-ports.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const missing = dockerIsMissing()

interface Service {
  readonly image: string
  readonly build: { readonly context: string; readonly dockerfile: string; readonly target: string }
  readonly command?: readonly string[]
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly volumes: readonly string[]
  readonly healthcheck?: unknown
}

const compose = parse(readFileSync(join(root, 'docker/compose.yaml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** As an installation of the packages is, without what is never run: no registry is asked. */
function context(): Readable {
  const packages = packageClosure(join(root, 'packages/manager-cli/dist/cli.js')).flatMap(({ folder, place, files }) =>
    (files ?? ['.'])
      .map((part) => ({ source: join(folder, part), target: join(place, part) }))
      .filter(({ source }) => existsSync(source)),
  )
  return packTar(
    [
      ...packages.map((each) => ({
        type: statSync(each.source).isFile() ? ('file' as const) : ('directory' as const),
        ...each,
      })),
      { type: 'file', source: join(root, 'docker/Dockerfile'), target: 'Dockerfile' },
    ],
    { filter: (path) => !/\/node_modules$|\.map$|\.d\.[cm]?ts$|\/better-sqlite3\/(?:deps|src)$/.test(path) },
  )
}

/** What an engine gets for a service; `compose` itself is not here. */
function hostConfigOf(service: Service, binds: readonly string[]) {
  return {
    NetworkMode: 'host',
    ReadonlyRootfs: service.read_only,
    Tmpfs: { '/tmp': '' },
    CapDrop: service.cap_drop,
    SecurityOpt: service.security_opt,
    Binds: binds,
  }
}

it('compose.yaml names targets of the Dockerfile, volumes that it has, and images that are not of root', () => {
  const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8')
  for (const { build, read_only: isReadOnly, volumes } of Object.values(compose.services)) {
    expect(existsSync(join(root, 'docker', build.context, build.dockerfile))).toBe(true)
    const stage = dockerfile.split(/^FROM /m).find((each) => each.split('\n')[0]?.endsWith(` AS ${build.target}`))
    expect(stage).toMatch(/^USER 10001:10001$/m)
    expect(stage).toMatch(/^HEALTHCHECK /m)
    expect(isReadOnly).toBe(true)
    for (const volume of volumes.filter((each) => /^[a-z]+:/.test(each)))
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0])
  }
})

describe.skipIf(missing !== undefined)(`images of docker/Dockerfile${missing ?? ''}`, () => {
  let docker: TestDocker
  let folder: string

  const engine = () => createContainerEngine(docker.socket)

  beforeAll(async () => {
    docker = await startDocker()
    folder = mkdtempSync(join(tmpdir(), 'steward-context-'))
    const base = await imageOf(engine(), { wanted: undefined })
    for (const { image, build } of Object.values(compose.services)) {
      const query = {
        t: image,
        target: build.target,
        dockerfile: 'Dockerfile',
        buildargs: JSON.stringify({ BASE: base.name }),
        networkmode: 'none',
      }
      await engine().follow('/build', { query, body: context() }, () => undefined)
    }
  })
  afterAll(async () => {
    await docker?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function run(name: string, body: object): Promise<void> {
    await engine().ask('POST', '/containers/create', { query: { name }, body })
    await engine().ask('POST', `/containers/${name}/start`)
  }

  const status = async (name: string) =>
    (await engine().ask<{ State: { Status: string; ExitCode: number } }>('GET', `/containers/${name}/json`))?.State

  it('serve an application without root, on a root that cannot be written, with passwords from a file', async () => {
    const service = compose.services['app-server'] as Service
    const settings = join(folder, 'settings.env')
    writeFileSync(settings, 'STEWARD_ADMIN_LOGIN=ann\nSTEWARD_ADMIN_PASSWORD=ann-Password1\n', { mode: 0o444 })
    const port = await takeTestPort()
    await engine().ask('POST', '/volumes/create', { body: { Name: 'data' } })
    await run('app', {
      Image: service.image,
      Env: ['STEWARD_ENV_FILE=/run/secrets/settings', `STEWARD_PORT=${port}`, 'STEWARD_HOST=127.0.0.1'],
      HostConfig: hostConfigOf(service, [
        'data:/data',
        `${join(root, 'templates/default')}:/app:ro`,
        `${settings}:/run/secrets/settings:ro`,
      ]),
    })
    const health = () => fetch(`http://127.0.0.1:${port}/health`).then((response) => response.text(), String)
    await expect.poll(health, { timeout: 30_000 }).toContain('OK')
    const headers = { authorization: `Basic ${Buffer.from('ann:ann-Password1').toString('base64')}` }
    expect((await fetch(`http://127.0.0.1:${port}/api/login`, { headers })).status).toBe(200)
    const shown = await engine().ask('GET', '/containers/app/json')
    expect(JSON.stringify(shown)).not.toContain('ann-Password1')
    expect(shown).toMatchObject({
      Config: { User: '10001:10001', Healthcheck: { Test: ['CMD', 'node', '-e', expect.any(String)] } },
    })
    await engine().ask('POST', '/containers/app/stop')
    expect(await status('app')).toMatchObject({ Status: 'exited', ExitCode: 0 })
  })

  it('run a manager, whose home is in a volume', async () => {
    const service = compose.services['manager'] as Service
    const port = await takeTestPort()
    await engine().ask('POST', '/volumes/create', { body: { Name: 'apps' } })
    const HostConfig = hostConfigOf(service, ['apps:/srv/apps'])
    await run('init', { Image: service.image, Cmd: ['init', '--url', `http://127.0.0.1:${port}`], HostConfig })
    await engine().ask('POST', '/containers/init/wait')
    expect(await status('init')).toMatchObject({ ExitCode: 0 })
    await run('version', { Image: service.image, Cmd: ['--version'], HostConfig })
    await engine().ask('POST', '/containers/version/wait')
    const { version } = JSON.parse(readFileSync(join(root, 'packages/manager-cli/package.json'), 'utf8'))
    expect(await engine().outputOf('version')).toBe(version)
    await run('manager', { Image: service.image, Cmd: ['serve', '--listen', `127.0.0.1:${port}`], HostConfig })
    const answer = () => fetch(`http://127.0.0.1:${port}/api`).then((response) => response.status, String)
    await expect.poll(answer, { timeout: 30_000 }).toBe(401)
    await engine().ask('POST', '/containers/manager/stop')
  })
})
