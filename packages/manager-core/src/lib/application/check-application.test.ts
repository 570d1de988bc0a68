import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { leavesChild } from '../testing/leaves-child.js'
import { checkApplication } from './check-application.js'

const answer = { format: 'steward-check', version: 1, problems: ['app.yaml: wrong'] }
const print = (text: string) => `process.stdout.write(${JSON.stringify(text)})\n`

/** What the check reports of an application whose server is this program. */
function checked(server: string) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-checked-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'app'))
  const applicationServer = join(folder, 'server.mjs')
  writeFileSync(applicationServer, server)
  const context = { applicationServer, home: { servers: join(folder, 'servers') } }
  return checkApplication(context as never, { app: join(folder, 'app'), environment: {} })
}

it('takes the answer out of what the code of the application prints', async () => {
  const waits = 'setInterval(() => undefined, 1000)\n'
  const noise = '{"format":"steward-check"\n{"format":"steward-check","version":2}\n'
  expect(await checked(print(`${noise}${JSON.stringify(answer)}\n${noise}`) + waits)).toEqual(answer)
})

it.each([
  ['answers', print(`${JSON.stringify(answer)}\n`)],
  ['ends without an answer', 'process.exit(1)\n'],
])('does not wait for a child of an application that keeps its outputs and %s', async (_, end) => {
  const { script, lives } = leavesChild()
  const leave = `import { spawnSync } from 'node:child_process'
spawnSync('/bin/sh', ['-c', ${JSON.stringify(script)}], { stdio: 'inherit' })\n`
  const [result] = await Promise.allSettled([checked(leave + end)])
  expect(lives()).toBe(true)
  expect(result).toMatchObject(
    end.startsWith('process.exit')
      ? { reason: { code: 'ERR_FAILED', message: "The application's code ended the process that checks it." } }
      : { value: answer },
  )
})
