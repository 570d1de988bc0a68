import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { platformVersion } from './lib/version.js'
import { basic, makeFolder, runHere } from './running-app-for-test.js'
import { adminPassword, serveHere } from './serve-here-for-test.js'

const run = promisify(execFile)

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-init-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('what --init writes', () => {
  let above: string
  let folder: string
  let made: Awaited<ReturnType<typeof runHere>>
  beforeAll(async () => {
    above = await mkdtemp(join(tmpdir(), 'steward-init-'))
    folder = join(above, 'To do')
    made = await runHere(['To do', '--init'], { cwd: above })
  })
  afterAll(() => rm(above, { recursive: true, force: true }))

  test('is printed with the next commands', () => {
    expect(made).toMatchObject({ code: 0, errors: '' })
    expect(made.output).toContain(`Wrote the application "to-do" to ${folder}.`)
    expect(made.output).toContain(`\n  cd 'To do'\n  npm install`)
  })

  test('loads without problems', async () => {
    const { output = '' } = await runHere([folder, '--check'])
    expect(JSON.parse(output)).toMatchObject({
      application: { name: 'to-do', title: 'To do', version: '1.0.0' },
      problems: [],
    })
    expect((await readdir(folder)).toSorted()).toEqual(
      ['.gitignore', '.steward', 'app.yaml', 'objects', 'package.json', 'tests', 'tsconfig.json'].toSorted(),
    )
  })

  test('is served, keeps records and runs the action', async () => {
    const app = await serveHere(folder, 'sqlite::memory:')
    onTestFinished(() => app.close())
    const headers = basic('admin', adminPassword)
    const call = async (method: string, path: string, body?: object) => {
      const { status, text } = await app.call(method, `/to-do/api/rest/Task${path}`, headers, body)
      return { status, body: JSON.parse(text) as unknown }
    }
    const task = { row_id: '1', tsk_title: 'Buy milk', tsk_due: '2030-01-31' }
    expect(await call('POST', '', { tsk_title: 'Buy milk', tsk_due: '2030-01-31' })).toMatchObject({ body: task })
    expect(await call('POST', '/1/action:finish', {})).toEqual({ status: 200, body: { result: 'Done.' } })
    expect(await call('POST', '/1/action:finish', {})).toMatchObject({ status: 400 })
    expect(await call('GET', '/1')).toEqual({ status: 200, body: { ...task, tsk_done: true } })
  })

  test('its scripts test and check pass, and tsc finds a wrong type', async () => {
    const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
    const programs = await emptyFolder()
    const tsc = createRequire(import.meta.url)
      .resolve('typescript/package.json')
      .replace('package.json', 'bin/tsc')
    for (const [name, file] of Object.entries({ 'app-server': cli, tsc }))
      await writeFile(join(programs, name), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`, { mode: 0o755 })
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      scripts: Record<'test' | 'check', string>
    }
    const script = (name: 'test' | 'check') =>
      run('/bin/sh', ['-c', scripts[name]], {
        cwd: folder,
        env: { PATH: [programs, process.env['PATH']].join(delimiter) },
      }).catch((error: { stdout: string }) => error)
    const tested = await script('test')
    expect(tested.stdout).toMatch(/^passed task: aTaskIsFinishedOnce \(\d+ ms\)\n1 passed, 0 failed\n$/)
    expect((await readdir(join(folder, 'data'))).filter((file) => file.endsWith('.db'))).toEqual([])
    expect(await script('check')).not.toHaveProperty('code')
    const test = join(folder, 'tests/task.ts')
    await writeFile(test, (await readFile(test, 'utf8')).replace("'finish'", '7'))
    const wrong = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error)
    expect(wrong.stdout).toMatch(/tests\/task\.ts\(\d+,\d+\): error TS/)
  })

  test('names this version of its packages', async () => {
    expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: 'to-do',
      type: 'module',
      dependencies: {
        '@steward/app-server': `^${platformVersion}`,
        '@steward/rest-core': `^${platformVersion}`,
        'better-sqlite3': expect.stringMatching(/\d/),
      },
    })
  })
})

describe('the folder', () => {
  test('one that is not empty is refused and stays as it is', async () => {
    const { folder, remove } = await makeFolder({ 'objects/task.ts': 'mine' })
    onTestFinished(remove)
    expect(await runHere([folder, '--init'])).toMatchObject({
      code: 1,
      output: '',
      errors: `app-server: ${folder} is not empty: it contains objects. Nothing was written. Give --init a new or an empty folder.\n`,
    })
    expect(await readdir(folder, { recursive: true })).toEqual(['objects', join('objects', 'task.ts')])
    expect(await readFile(join(folder, 'objects/task.ts'), 'utf8')).toBe('mine')
  })

  test('a file, and none at all, are refused', async () => {
    const file = join(await emptyFolder(), 'file')
    await writeFile(file, 'mine')
    expect((await runHere([file, '--init'])).errors).toContain(`${file} is not a folder.`)
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect((await runHere(['--init'])).errors).toContain('--init requires the folder of a new application.')
    expect((await runHere([file, '--init', '--name', 'x'])).errors).toContain('--init takes the name of the folder.')
  })

  test.each(['2024 – Tâches!', '日本', 'true', 'a'.repeat(70)])(
    '%s, where Git was set up, becomes a name that the server accepts',
    async (name) => {
      const folder = join(await emptyFolder(), name)
      await mkdir(join(folder, '.git'), { recursive: true })
      const { code, output } = await runHere(['.', '--init'], { cwd: folder })
      expect(code).toBe(0)
      expect(output).toContain('\nNext:\n  npm install')
      expect(JSON.parse((await runHere([folder, '--check'])).output ?? '')).toMatchObject({ problems: [] })
    },
  )
})
