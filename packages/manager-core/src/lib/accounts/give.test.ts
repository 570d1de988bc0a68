import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { instanceHomeAt } from '../domain/home.js'
import { takeHome } from './give.js'

/** An id that no user has. */
const account = 54_321

it.runIf(process.getuid?.() === 0)(
  'takeHome() leaves no link in the logs, by which root would write elsewhere',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-give-'))
    const home = instanceHomeAt(folder)
    for (const each of [home.app, home.data, join(home.logs, 'old')]) mkdirSync(each, { recursive: true })
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'precious')
    writeFileSync(join(home.logs, 'application.log'), 'kept')
    for (const name of ['application.log.1', 'old/server.log']) symlinkSync(victim, join(home.logs, name))
    for (const name of ['', 'application.log']) chownSync(join(home.logs, name), account, account)

    await takeHome(home, account)
    expect(readdirSync(home.logs, { recursive: true }).toSorted()).toEqual(['application.log', 'old'])
    expect(readFileSync(join(home.logs, 'application.log'), 'utf8')).toBe('kept')
    expect(lstatSync(join(home.logs, 'application.log')).uid).toBe(0)
    expect(readFileSync(victim, 'utf8')).toBe('precious')
    rmSync(folder, { recursive: true })
  },
)
