import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { resume } from './suspension.js'

/** A `systemctl` that knows a watchdog as long as it was asked less than `shows` times, and cannot stop it. */
function withSystemctl(shows: number): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-systemctl-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const script = `#!/bin/sh
case "$*" in
  *show*-resume.service)
    echo show >> '${folder}/calls'
    [ "$(grep -c show '${folder}/calls')" -gt ${shows} ] || printf 'Id=a-resume.service\\nActiveState=active\\n' ;;
  *stop*) echo stop >> '${folder}/calls'; echo 'Unit a-resume.service not loaded.' >&2; exit 5 ;;
esac
`
  writeFileSync(join(folder, 'systemctl'), script, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return () => readFileSync(join(folder, 'calls'), 'utf8')
}

it('a watchdog that ends before it is stopped does not fail what is resumed', async () => {
  const calls = withSystemctl(1)
  await resume('a.service')
  expect(calls()).toBe('show\nstop\nshow\n')
})

it('one that cannot be stopped does', async () => {
  withSystemctl(2)
  await expect(resume('a.service')).rejects.toThrow('Unit a-resume.service not loaded.')
})
