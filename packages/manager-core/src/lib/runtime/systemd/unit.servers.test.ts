import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toolIsMissing } from '../../../../../../tests/servers/index.js'
import type { InstanceSpec } from '../runtime.js'
import { environmentText, socketTextOf, socketUnitOf, unitName, unitTextOf, type UnitOptions } from './unit.js'

const hard = `/srv/50% "of" $HOME 'x' [a]* über 漢`

const spec = (folder: string): InstanceSpec => ({
  id: 'abc',
  folder,
  command: ['/usr/bin/node', `${folder}/app/main.mjs`],
  environment: {},
  workingFolder: `${folder}/app`,
  port: 1234,
  log: { maxBytes: 1, keep: 1 },
})

const options = (folder: string, more: Partial<UnitOptions> = {}): UnitOptions => ({
  copy: 'a',
  account: undefined,
  command: spec(folder).command,
  guest: '/usr/lib/steward/guest.js',
  run: `${folder}/run`,
  script: `${folder}/run/unit.sh`,
  environment: '/etc/steward/instances/x.env',
  policy: { pauseSeconds: 2, limit: 5, withinSeconds: 300, stopSeconds: 30 },
  limits: { asked: {}, dataBytes: 0 },
  ...more,
})

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-units-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const account = { name: 'root', uid: 0, gid: 0 }
const asked = { memory: 512, cpu: 150, processes: 100, files: 1000 }
const all = {
  plain: unitTextOf(spec('/srv/steward/abc'), options('/srv/steward/abc')),
  hard: unitTextOf(spec(hard), options(hard)),
  'with an account and limits': unitTextOf(
    { ...spec('/srv/x'), needs: '/mnt/db/x.sqlite' },
    options('/srv/x', { account, limits: { asked, dataBytes: 5_000_000_000 } }),
  ),
  'with a socket': unitTextOf({ ...spec('/srv/x'), id: 'socket', takesSockets: true }, options('/srv/x')),
  'below /home': unitTextOf(spec('/home/me/x'), options('/home/me/x')),
  'below /tmp': unitTextOf(spec('/tmp/x'), options('/tmp/x')),
}

it('is the text of a unit', () => {
  expect(all.hard).toMatchSnapshot('hard names')
  expect(all['with an account and limits']).toMatchSnapshot('an account and limits')
})

it('hides folders only when nothing that the instance needs is in them', () => {
  expect(all.plain).toMatch(/^ProtectHome=yes$/m)
  expect(all.plain).toMatch(/^PrivateTmp=yes$/m)
  expect(all['below /home']).not.toContain('ProtectHome')
  expect(all['below /tmp']).not.toContain('PrivateTmp')
  // V8 is killed by it.
  for (const text of Object.values(all)) expect(text).not.toContain('MemoryDenyWriteExecute')
})

it('keeps no line of an environment from being read as another', () => {
  const environment = { A: 'two words', B: `"quoted" 'x' \\ \`id\` $HOME 50%`, C: 'first\nEVIL="yes"', D: '' }
  expect(environmentText(environment)).toMatchInlineSnapshot(`
    "A="two words"
    B="\\"quoted\\" 'x' \\\\ \\\`id\\\` \\$HOME 50%"
    C="first
    EVIL=\\"yes\\""
    D=""
    "
  `)
})

it('is understood by systemd', async ({ skip }) => {
  const missing = toolIsMissing('systemd-analyze')
  if (missing !== undefined) return skip(missing)
  const wrong = all.plain.replace('Restart=always', 'Restart=sometimes')
  const files = [wrong, ...Object.values(all)].map((text, number) => {
    const file = join(folder, unitName({ id: `${number}`, folder }, 'a'))
    // Programs of the examples are not on this machine.
    writeFileSync(file, text.replaceAll('/usr/bin/node', '/bin/true'))
    return file
  })
  const socket = join(folder, socketUnitOf(unitName({ id: 'socket', folder }, 'a')))
  writeFileSync(
    socket,
    socketTextOf({ ...spec('/srv/x'), id: 'socket' }, 'a').replace('[Socket]', '[Socket]\nListenStream=none'),
  )
  writeFileSync(socket.replace(/socket$/, 'service'), all['with a socket'].replaceAll('/usr/bin/node', '/bin/true'))
  const said = await new Promise<string>((resolve) => {
    execFile('systemd-analyze', ['verify', '--man=no', ...files, socket], (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
  expect(said.split('\n').filter((line) => line.includes('steward-instance'))).toEqual([
    expect.stringMatching(/steward-instance-0-a.service:\d+: .*sometimes/),
    expect.stringMatching(/steward-instance-socket-a.socket:\d+: .*none/),
  ])
  return undefined
})
