import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../scripts/packages.mjs'
import { endProcessesOf } from '../packages/manager-core/src/lib/testing/end-processes.js'
import { takePorts } from '../packages/manager-core/src/lib/testing/take-ports.js'
import { codeBlocks } from './programs/markdown.js'
import { shellIsMissing, unexpectedOutputs } from './programs/shell.js'

const blocks = codeBlocks(new URL('../docs/tutorial-server.md', import.meta.url), 'sh')

it.skipIf(shellIsMissing())('the tutorial of a server does and prints what it says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-tutorial-'))
  const ports = takePorts()
  try {
    const program = join(folder, 'manager')
    const cli = join(root, 'packages/manager-cli/dist/cli.js')
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`)
    chmodSync(program, 0o755)
    cpSync(join(root, 'templates/default'), join(folder, 'shop'), { recursive: true })
    const [first = ''] = ports.range.split('-')
    const env = {
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: folder,
      APPS_PORTS: ports.range,
      APPS_DATABASES: 'sqlite',
      APPS_HEALTHWINDOW: '1',
      APPS_ISOLATION: 'no',
    }
    const script = blocks.join('\n').replaceAll('127.0.0.1:10000', `127.0.0.1:${first}`)
    expect(await unexpectedOutputs(script, { cwd: folder, env })).toEqual([])
    expect(blocks.length).toBeGreaterThan(8)
  } finally {
    await endProcessesOf(folder)
    ports.release()
    rmSync(folder, { recursive: true, force: true })
  }
})
