import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { withoutPrivileges } from './account.js'

it.runIf(process.getuid?.() === 0)('withoutPrivileges() without an account leaves root no capability', () => {
  const [program, before] = withoutPrivileges(undefined, 'cat')
  const status = execFileSync(program, [...before, '/proc/self/status'], { encoding: 'utf8' })
  const of = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1]
  expect([of('CapPrm'), of('CapEff'), of('CapBnd'), of('NoNewPrivs')]).toEqual([
    '0000000000000000',
    '0000000000000000',
    '0000000000000000',
    '1',
  ])
})
