import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { unitScript } from './script.js'

/**
 * Starts an application on a disk that is full as often as it is asked about.
 *
 * @param lastStart seconds since its last start; undefined: there was none
 * @returns how many seconds the script slept before the application ran
 */
function pauseOf({ lastStart, full }: { readonly lastStart: number | undefined; readonly full: number }): number {
  const folder = mkdtempSync(join(tmpdir(), 'steward-unit-script-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const at = (name: string) => join(folder, name)
  const program = (name: string, text: string) => writeFileSync(at(name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const counted = `[ "$(wc -l <'${at('asked')}')" -le ${full} ]`
  program('df', `echo >>'${at('asked')}'; echo heading; ${counted} && echo a 9 9 8 b || echo a 9 9 64 b`)
  program('sleep', `echo >>'${at('slept')}'`)
  for (const name of ['slept', 'log']) writeFileSync(at(name), '')
  if (lastStart !== undefined) {
    writeFileSync(at('begun'), '')
    const time = Date.now() / 1000 - lastStart
    utimesSync(at('begun'), time, time)
  }
  execFileSync('/bin/sh', ['-c', unitScript, 'unit.sh', 'start', folder, '5', folder, '/bin/echo', 'it', 'runs'], {
    env: { PATH: `${folder}${delimiter}${process.env['PATH']}`, STEWARD_LOG: at('log') },
  })
  expect(readFileSync(at('log'), 'utf8')).toBe('it runs\n')
  return readFileSync(at('slept'), 'utf8').length
}

it('what ended soon after its start on a full disk waits for room, and not for ever', () => {
  expect(pauseOf({ lastStart: 2, full: 3 })).toBe(3)
  expect(pauseOf({ lastStart: 2, full: 1000 })).toBe(5)
})

it('what starts first, ran for long, or has room does not wait', () => {
  expect(pauseOf({ lastStart: undefined, full: 1000 })).toBe(0)
  expect(pauseOf({ lastStart: 600, full: 1000 })).toBe(0)
  expect(pauseOf({ lastStart: 2, full: 0 })).toBe(0)
})
