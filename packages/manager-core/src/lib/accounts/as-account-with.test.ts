import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { asAccountWith } from './account.js'

const stranger = { name: 'stranger', uid: 65_533, gid: 65_533 }

it.runIf(process.getuid?.() === 0)(
  'asAccountWith() runs nothing of the environment before the program is the account',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-launch-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    chmodSync(folder, 0o777)
    writeFileSync(join(folder, 'setpriv'), `#!/bin/sh\ntouch ${folder}/found-by-path\n`, { mode: 0o755 })
    // Each program that the dynamic linker starts with these writes a file, as the user that it is.
    const loader = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(folder, 'loaded') }
    const given = { ...loader, PATH: `${folder}:/usr/bin:/bin`, OWN: 'mine' }
    const { program, before, environment } = asAccountWith(stranger, '/bin/sh', given)
    const own = execFileSync(program, [...before, '-c', 'echo $OWN $LD_DEBUG; id -u'], {
      env: environment,
      encoding: 'utf8',
    })
    expect(own).toBe(`mine files\n${stranger.uid}\n`)
    const written = readdirSync(folder)
    expect(written).not.toContain('found-by-path')
    const loads = written.filter((name) => name.startsWith('loaded'))
    expect(loads).not.toEqual([])
    for (const name of loads) expect(statSync(join(folder, name)).uid).toBe(stranger.uid)
  },
)

it('asAccountWith() leaves an environment without such variables as it is', () => {
  const environment = { PATH: '/bin', OWN: 'mine' }
  expect(asAccountWith(stranger, '/bin/sh', environment)).toMatchObject({
    before: expect.not.arrayContaining(['env']),
    environment,
  })
  const loaded = { LD_PRELOAD: '/a.so', OWN: 'mine' }
  expect(asAccountWith(undefined, '/bin/sh', loaded)).toEqual({ program: '/bin/sh', before: [], environment: loaded })
})
