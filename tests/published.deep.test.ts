import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endProcessesOf } from '../packages/manager-core/src/lib/testing/end-processes.js'
import { takePorts, type TakenPorts } from '../packages/manager-core/src/lib/testing/take-ports.js'
import { publishedPackages, repository, root } from '../scripts/packages.mjs'
import { startApp } from './programs/app-server.js'
import { codeBlocks } from './programs/markdown.js'
import { firstBlock, testReadmeExamples } from './programs/readme-examples.js'
import { startRegistry, type Registry } from './programs/registry.js'
import { runShell } from './programs/shell.js'

const execute = promisify(execFile)
const names = publishedPackages().map(({ json }) => String(json['name']))
const deep = Boolean(process.env['TEST_DEEP']) && process.platform === 'linux'

/** The way of a release, and what users do afterwards: nothing below knows this repository's folder. */
describe.runIf(deep)('packages that were published to a registry, in an empty folder', () => {
  let folder: string
  let registry: Registry
  let ports: TakenPorts
  /** A user's project. */
  let consumer: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-published-'))
    registry = await startRegistry()
    ports = takePorts()
    await release(join(folder, 'release'), registry.url)
    consumer = join(folder, 'consumer')
    mkdirSync(consumer)
    writeFileSync(join(consumer, 'package.json'), '{ "private": true, "type": "module" }')
    writeFileSync(join(consumer, '.npmrc'), npmrc(registry.url))
    await execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...names], { cwd: consumer })
  }, 600_000)

  afterAll(async () => {
    await endProcessesOf(folder)
    ports.release()
    await registry.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it('are all there, with a version below 1.0, a changelog, and without engines that not everybody needs', () => {
    expect([...registry.packages.keys()].toSorted()).toEqual(names.toSorted())
    for (const name of names) {
      const place = join(consumer, 'node_modules', name)
      const { version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { version: string }
      expect(version).toMatch(/^0\.[1-9]/)
      expect(readFileSync(join(place, 'CHANGELOG.md'), 'utf8')).toContain(`## ${version}`)
    }
    const engines = ['pdfmake', 'write-excel-file', 'easy-template-x', 'sharp', 'pg', 'mysql2']
    expect(engines.filter((name) => existsSync(join(consumer, 'node_modules', name)))).toEqual([])
  })

  testReadmeExamples(() => consumer)

  it('run an application with code from a folder of its own', async () => {
    const application = join(folder, 'elsewhere')
    write(join(application, 'app.yaml'), 'name: till\nversion: 1.0.0\n')
    write(join(application, 'objects', 'sale.ts'), saleWithAction)
    const app = await startApp([application], { cli: program('app-server') })
    try {
      const { body: sale } = await app.call('/Sale', { body: { sal_amount: 20 } })
      const { status, body } = await app.call(`/Sale/${sale.row_id}/action:double`, { method: 'POST' })
      expect([status, body]).toEqual([200, { result: '40' }])
    } finally {
      await app.stop()
    }
  })

  it('refuse to start without the packages that the application needs, and name them', async () => {
    const application = join(folder, 'printer')
    write(join(application, 'app.yaml'), 'name: printer\nversion: 1.0.0\n')
    const letter = 'name: Letter\nfields: { let_text: { type: string } }\npublications: { paper: { format: pdf } }\n'
    write(join(application, 'objects', 'letter.yaml'), letter)
    expect(await failureOf([program('app-server'), application])).toContain(
      'Letter.publications.paper: the format pdf needs the package "pdfmake". Install it with: npm install pdfmake',
    )
    const driver = join(consumer, 'node_modules', 'better-sqlite3')
    renameSync(driver, `${driver}-away`)
    try {
      const reason = await failureOf([program('app-server'), join(consumer, 'my-application')])
      expect(reason).toContain('npm install better-sqlite3')
    } finally {
      renameSync(`${driver}-away`, driver)
    }
  })

  it('run the examples of the manager, which is installed for all folders', { timeout: 300_000 }, async () => {
    const readme = new URL('../packages/manager-cli/README.md', import.meta.url)
    const block = codeBlocks(readme, '').find((code) => code.includes('manager init'))
    const home = join(folder, 'apps')
    const config = ['APPS_BASEURL=http://localhost:8000', `APPS_PORTS=${ports.range}`, 'APPS_PASSWORD=example']
    write(join(home, 'config.sh'), config.map((line) => `export ${line}\n`).join(''))
    const prefix = join(folder, 'global')
    // npm reads no .npmrc of a folder then.
    const flags = [
      '--global',
      '--prefix',
      prefix,
      `--@steward:registry=${registry.url}`,
      '--prefer-offline',
      '--no-audit',
    ]
    await execute('npm', ['install', ...flags, '@steward/manager-cli'])
    const path = `export PATH=${join(prefix, 'bin')}:${dirname(process.execPath)}:$PATH`
    const commands = [path, String(block).replaceAll('/srv/apps', home)]
    const [, printed] = await runShell(commands.map((command) => ({ command })))
    expect(printed).toMatch(/Instance "demo".* is started: http/)
    expect(printed).toMatch(/^demo +started +1\.0 /m)
    expect(printed).toMatch(/Instance "demo" is backed up/)

    const replaced = (code: string) =>
      code
        .replaceAll('/srv/apps', home)
        .replaceAll('/srv/node_modules', join(consumer, 'node_modules'))
        .replaceAll('/srv/templates', join(consumer, 'node_modules/@steward/manager-cli/dist/templates'))
        .replace("name: 'demo'", "name: 'second'")
        .replace('127.0.0.1:8000', '127.0.0.1:0')
    write(join(consumer, 'manager-core.ts'), replaced(firstBlock('manager-core', 'ts')))
    const { stdout } = await execute(process.execPath, [join(consumer, 'manager-core.ts')])
    expect(stdout).toMatch(/^Instance "second"/)

    write(join(consumer, 'manager-server.ts'), replaced(firstBlock('manager-server', 'ts')))
    const server = spawn(process.execPath, [join(consumer, 'manager-server.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const url = await new Promise<string>((found, failed) => {
        server.stdout.once('data', (chunk: Buffer) => found(chunk.toString().trim()))
        server.once('exit', () => failed(new Error('The server ended.')))
      })
      const authorization = `Basic ${Buffer.from('admin:example').toString('base64')}`
      const page = await fetch(new URL('/ui/', url), { headers: { authorization } })
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
    } finally {
      server.kill('SIGKILL')
    }
  })

  function program(name: string): string {
    return join(consumer, 'node_modules', '@steward', name, 'dist', 'cli.js')
  }
})

it.runIf(deep)('the reference of the public API has a page for what can be imported, with its comment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-reference-'))
  try {
    await execute(process.execPath, [join(root, 'tools/api/reference.ts'), folder])
    const page = readFileSync(join(folder, 'functions/_steward_rest-core.defineObject.html'), 'utf8')
    expect(page).toContain(`${repository}/blob/main/packages/rest-core/src/lib/definition/`)
    expect(existsSync(join(folder, 'functions/_steward_rest-koa.restRouter.html'))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const saleWithAction = `
import { defineObject } from '@steward/rest-core'

export const Sale = defineObject({
  name: 'Sale',
  fields: { sal_amount: { type: 'integer', required: true } },
  actions: {
    double: {
      run: async ({ record }) => String(Number(record?.['sal_amount']) * 2),
    },
  },
})
`

/** What the release workflow does: versions by the pending changesets, if any, then publishes; in a copy of this checkout. */
async function release(copy: string, registry: string): Promise<void> {
  const { stdout } = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  for (const file of stdout.split('\0').filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  for (const { folder } of publishedPackages())
    cpSync(join(root, folder, 'dist'), join(copy, folder, 'dist'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, '.npmrc'), npmrc(registry))
  const git = (...args: string[]) => execute('git', args, { cwd: copy })
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  const user = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false']
  await git(...user, 'commit', '--quiet', '--message=release')
  const changeset = join(root, 'node_modules', '.bin', 'changeset')
  const pending = globSync('*.md', { cwd: join(copy, '.changeset') }).filter((name) => name !== 'README.md')
  if (pending.length > 0) await execute(changeset, ['version'], { cwd: copy })
  const packed = join(copy, '..', 'packed')
  await execute(changeset, ['pack', '--out-dir', packed], { cwd: copy })
  await execute(changeset, ['publish', '--from-pack-dir', packed, '--no-git-tag'], { cwd: copy })
}

/** Packages of the scope come from this registry, all others from where the machine takes them. */
function npmrc(registry: string): string {
  return `@steward:registry=${registry}\n${registry.replace('http:', '')}:_authToken=anybody\n`
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** What a program that ends with a failure writes about it. */
async function failureOf(args: readonly string[]): Promise<string> {
  const ended = await execute(process.execPath, [...args, '--port', '0']).then(
    () => undefined,
    (error: { stderr: string }) => error.stderr,
  )
  if (ended === undefined) throw new Error('It ended without a failure.')
  return ended
}
