import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from '../scripts/packages.mjs'
import { startApp, type RunningApp } from './programs/app-server.js'
import { shellIsMissing, unexpectedOutputs } from './programs/shell.js'
import { tutorialBlocks, writeBlock } from './programs/tutorial.js'

const blocks = tutorialBlocks(new URL('../docs/tutorial-plugin.md', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'steward-tutorial-'))
let app: RunningApp | undefined
afterAll(async () => {
  await app?.stop()
  rmSync(folder, { recursive: true, force: true })
})

it.skipIf(shellIsMissing())('the tutorial of a plug-in does and prints what it says', async () => {
  const program = join(folder, 'app-server')
  writeFileSync(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'packages/app-server/dist/cli.js')}" "$@"\n`,
  )
  chmodSync(program, 0o755)
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, NO_COLOR: '1' }
  const unexpected: string[] = []
  for (const block of blocks) {
    if (block.code.startsWith('npm install --prefix plate')) {
      // What npm would install.
      symlinkSync(join(root, 'node_modules'), join(folder, 'plate/node_modules'))
    } else if (block.code.startsWith('npm install --prefix cars')) {
      mkdirSync(join(folder, 'cars/node_modules'))
      symlinkSync('../../plate', join(folder, 'cars/node_modules/field-type-plate'))
    } else if (block.code.includes('app-server cars\n')) {
      app = await startApp([join(folder, 'cars')], { password: 'admin-Password1' })
    } else if (block.language === 'sh') {
      const code = block.code.replaceAll('http://127.0.0.1:8080', app?.origin ?? '')
      unexpected.push(...(await unexpectedOutputs(code, { cwd: folder, env })))
    } else if (block.language !== 'bash') unexpected.push(...writeBlock(block, folder, ['plate', 'cars']))
  }
  expect(unexpected).toEqual([])
  expect(blocks.length).toBeGreaterThan(12)
})
