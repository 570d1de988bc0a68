import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createDatabaseServer } from '../create-database-server.js'

const account = { name: 'steward_a1', user: 'steward_a1', password: `p$ass'w%s&\\1` }
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A program that writes down what it was given, and ends with 3. */
function program(name: string): { readonly folder: string; readonly seen: () => Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'steward-client-'))
  folders.push(folder)
  const file = join(folder, name)
  writeFileSync(
    file,
    `#!/bin/sh
printf '%s\\n' "$@" > "${folder}/arguments"
for script in "$@"; do case $script in @*) cat "\${script#@}" > "${folder}/script"; ls -l "\${script#@}" > "${folder}/mode"; echo "\${script#@}" > "${folder}/path" ;; esac; done
env > "${folder}/environment"
cat > "${folder}/input"
exit 3
`,
  )
  chmodSync(file, 0o755)
  const names = ['arguments', 'script', 'mode', 'path', 'environment', 'input']
  return {
    folder,
    seen: () =>
      Object.fromEntries(
        names.map((of) => [of, existsSync(join(folder, of)) ? readFileSync(join(folder, of), 'utf8') : '']),
      ),
  }
}

async function run(type: 'oracle' | 'mssql', folder: string): Promise<unknown> {
  const location = { host: 'db', port: 1521, user: 'system', password: 'x', path: folder }
  const server = createDatabaseServer(
    type === 'oracle'
      ? { ...location, type, service: 'PDB1', environment: { ORACLE_HOME: '/opt/o' } }
      : { ...location, type },
  )
  const { command, args, environment } = await server.client(account)
  expect([command, ...args].join(' ')).not.toContain(account.password)
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  try {
    execFileSync(command, args, { env, input: 'select 1;\n', stdio: 'pipe' })
    return 0
  } catch (error) {
    return (error as { status?: unknown }).status
  }
}

it.each(['sqlplus', 'sql'])(
  '%s logs in by a script that only its owner can read, and that is gone afterwards',
  async (name) => {
    const { folder, seen } = program(name)
    expect(await run('oracle', folder)).toBe(3)
    const { arguments: given, script, mode, path, environment, input } = seen()
    expect(given).not.toContain('ass')
    expect(given?.split('\n').slice(0, 2)).toEqual(['-L', '/nolog'])
    expect(script).toBe(`set define off\nconnect steward_a1/"${account.password}"@//db:1521/PDB1\nset define on\n`)
    expect(mode).toMatch(/^-rw-------/)
    expect(existsSync(path?.trim() ?? '')).toBe(false)
    expect(environment).toContain('ORACLE_HOME=/opt/o')
    expect(environment).not.toContain('STEWARD_PASSWORD')
    expect(input).toBe('select 1;\n')
  },
)

it('sqlcmd gets the password in its environment', async () => {
  const { folder, seen } = program('sqlcmd')
  expect(await run('mssql', folder)).toBe(3)
  expect(seen()['arguments']?.trim().split('\n')).toEqual([
    '-S',
    'tcp:db,1521',
    '-U',
    'steward_a1',
    '-d',
    'steward_a1',
    '-N',
  ])
  expect(seen()['environment']).toContain(`SQLCMDPASSWORD=${account.password}`)
})

it.each(['oracle', 'mssql'] as const)('of %s: says which program is missing', async (type) => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-client-'))
  folders.push(folder)
  await expect(run(type, folder)).rejects.toMatchObject({ code: 'ERR_NO_TOOL' })
})
