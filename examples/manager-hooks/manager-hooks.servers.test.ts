import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endProcessesOf } from '../../packages/manager-core/src/lib/testing/end-processes.js'
import { takePorts, type TakenPorts } from '../../packages/manager-core/src/lib/testing/take-ports.js'
import { codeBlocks } from '../../tests/programs/markdown.js'
import { runShell, shellIsMissing, unexpectedOutputs } from '../../tests/programs/shell.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const cli = fileURLToPath(new URL('../../packages/manager-cli/dist/cli.js', import.meta.url))
let folder: string
let home: string
let ports: TakenPorts

/** What comes before the commands of the README: the program, and a home of the test's own. */
const preamble = () =>
  `cd '${here}'; export APPS_HOME='${home}'; manager() { '${process.execPath}' '${cli}' "$@" 2>'${folder}/errors'; }\n`

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-hooks-'))
  home = join(folder, 'home')
  ports = takePorts()
  mkdirSync(home)
  // Managers of other tests, which run at the same time, would choose the same ports.
  const config = `export APPS_BASEURL=http://localhost:8000\nexport APPS_PORTS=${ports.range}\n`
  writeFileSync(join(home, 'config.sh'), config, { mode: 0o600 })
})

afterAll(async () => {
  await endProcessesOf(folder)
  ports.release()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

test('the shell block of the README loads a license and sets it aside', async ({ skip }) => {
  skip(shellIsMissing() !== undefined, shellIsMissing())
  const [block = ''] = codeBlocks(new URL('README.md', import.meta.url), 'sh')
  expect(block).toContain('manager add demo')
  expect(await unexpectedOutputs(preamble() + block)).toEqual([])

  const [settings = ''] = await runShell([{ command: `cat '${home}'/instances/*/settings.sh` }])
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(settings)?.[1] ?? ''
  const credentials = Buffer.from(`admin:${value('SERVICE_ADMIN_PASSWORD')}`).toString('base64')
  const address = value('SERVICE_URL').replace(/\/io$/, '/api/rest/SystemParam/?sys_code=LICENSE_KEY')
  const answer = await fetch(address, { headers: { Authorization: `Basic ${credentials}` } })
  expect(await answer.json()).toMatchObject([{ sys_value: 'demo-0123456789' }])
})

test('a license that is not taken is a warning with the answer, and the file stays', async ({ skip }) => {
  skip(shellIsMissing() !== undefined, shellIsMissing())
  writeFileSync(
    join(home, 'licensekeys/license-demo.xml'),
    '<objects><object><name>Nothing</name><data></data></object></objects>',
  )
  await runShell([{ command: `${preamble()} manager stop demo; manager start demo` }])
  expect(readFileSync(join(folder, 'errors'), 'utf8')).toContain('The license of demo was not taken')
  expect(readdirSync(join(home, 'licensekeys'))).toContain('license-demo.xml')
})

test('what monitoring finds is kept', async ({ skip }) => {
  skip(shellIsMissing() !== undefined, shellIsMissing())
  // As if it had crashed for good.
  await endProcessesOf(home)
  const [said = ''] = await runShell([{ command: `${preamble()} manager monitor demo 1 --count 1 || true` }])
  const errors = readFileSync(join(folder, 'errors'), 'utf8')
  expect(said, errors).toContain('demo ERROR unreachable')
  expect(readFileSync(join(home, 'logs/monitoring.log'), 'utf8'), said).toMatch(/^\S+Z demo unreachable$/m)
})
