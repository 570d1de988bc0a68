import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { supervisorScript } from './supervisor-script.js'
import { unitScript } from './systemd/script.js'

/** A folder `run/`, and a program `date`, called for each line of the log, that notes the record of the last end. */
function makePlaces() {
  const folder = mkdtempSync(join(tmpdir(), 'steward-supervisor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [run, programs, seen] = [join(folder, 'run'), join(folder, 'programs'), join(folder, 'seen')]
  for (const each of [run, programs]) mkdirSync(each)
  const note = `{ cat ${run}/exit 2>/dev/null || echo none; } >>${seen}`
  writeFileSync(join(programs, 'date'), `#!/bin/sh\n${note}\necho now\n`, { mode: 0o755 })
  return { run, seen, log: join(folder, 'log'), environment: { PATH: `${programs}:/usr/bin:/bin` } }
}

it('supervisorScript says that the application ended before it writes down how', async () => {
  const { run, seen, environment } = makePlaces()
  const args = ['-c', supervisorScript, 'steward', run, '0.01', '60', '3', 'sh', '-c', 'exit 3']
  const child = spawn('/bin/sh', args, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  const said = text(child.stdout)
  child.stdin.end('go\n')
  await once(child, 'exit')
  expect((await said).match(/The application ended with code 3/g)).toHaveLength(3)
  // The line of each end came before its record.
  expect(readFileSync(seen, 'utf8')).toBe('none\n3 0\n3 1\n')
  expect(readFileSync(join(run, 'exit'), 'utf8')).toBe('3 2\n')
  expect(existsSync(join(run, 'crashed'))).toBe(true)
})

it('unitScript says that the application ended before it writes down how', async () => {
  const { run, seen, log, environment } = makePlaces()
  const env = {
    ...environment,
    ...{ STEWARD_LOG: log, EXIT_CODE: 'exited', EXIT_STATUS: '3', SERVICE_RESULT: 'exit-code' },
  }
  await once(spawn('/bin/sh', ['-c', unitScript, 'steward', 'ended', run], { env, stdio: 'inherit' }), 'exit')
  expect(readFileSync(log, 'utf8')).toContain('The application ended with code 3.')
  expect(readFileSync(seen, 'utf8')).toBe('none\n')
  expect(readFileSync(join(run, 'exit'), 'utf8')).toBe('3 0\n')
})
