import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type RunningApp } from './programs/app-server.js'
import { shellIsMissing, unexpectedOutputs } from './programs/shell.js'
import { tutorialBlocks, writeBlock, type Block } from './programs/tutorial.js'

const root = fileURLToPath(new URL('..', import.meta.url))

const blocks = tutorialBlocks(new URL('../docs/tutorial.md', import.meta.url))

const isStart = ({ code }: Block) => /^(?:\w+=\S+ )?app-server help-desk$/m.test(code)
const [definitions] = blocks.filter(({ code }) => code.startsWith('URL='))

let folder: string
let app: RunningApp | undefined
let environment: Record<string, string>

/** Outside of the repository, with the program that the tutorial calls. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-tutorial-'))
  const program = join(folder, 'app-server')
  const cli = join(root, 'packages', 'app-server', 'dist', 'cli.js')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`)
  chmodSync(program, 0o755)
  environment = { ...(process.env as Record<string, string>), PATH: `${folder}:${process.env['PATH']}` }
})
afterAll(async () => {
  await app?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function start({ code }: Block): Promise<string[]> {
  await app?.stop()
  const password = /STEWARD_ADMIN_PASSWORD=(\S+)/.exec(code)?.[1]
  app = await startApp([join(folder, 'help-desk')], password === undefined ? {} : { password })
  const output = app.output().replaceAll(app.origin, 'http://127.0.0.1:8080')
  return code.split('\n').flatMap((line) => {
    const said = /^# (.*)$/.exec(line)?.[1]
    return said === undefined || said === '…' || output.includes(`${said}\n`) ? [] : [`${said}\nnot in\n${output}`]
  })
}

async function run({ code }: Block): Promise<string[]> {
  const script = `${definitions?.code}${code}`.replaceAll('http://127.0.0.1:8080', app?.origin ?? '')
  return unexpectedOutputs(script, { cwd: folder, env: environment })
}

describe.skipIf(shellIsMissing())('the tutorial', () => {
  it('does and prints what it says, from the first block to the last', async () => {
    const unexpected: string[] = []
    for (const block of blocks) {
      if (isStart(block)) unexpected.push(...(await start(block)))
      else if (block.language === 'sh' || block.code.startsWith('app-server')) unexpected.push(...(await run(block)))
      else if (block.language !== 'bash') unexpected.push(...writeBlock(block, folder, ['help-desk']))
    }
    expect(unexpected).toEqual([])
    expect(blocks.length).toBeGreaterThan(20)
  })

  it('has code of the right types', async () => {
    const tsc = join(root, 'node_modules', '.bin', 'tsc')
    const check = promisify(execFile)(tsc, ['-p', join(folder, 'help-desk')], { env: environment })
    const { stdout } = await check.catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  })
})
