import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type RunningApp } from './app-server.js'
import { codeBlocks } from './markdown.js'
import { shellIsMissing, unexpectedOutputs } from './shell.js'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'

const execute = promisify(execFile)
const readme = (name: string) => new URL(`../../packages/${name}/README.md`, import.meta.url)

/** The first block of a language in the README of a package. */
export const firstBlock = (name: string, language: string): string => codeBlocks(readme(name), language)[0] ?? ''

/**
 * Runs the first example of the READMEs of the packages that serve, store or call.
 *
 * @param folder in whose `node_modules` the packages are; its package.json has the type "module"
 */
export function testReadmeExamples(folder: () => string): void {
  /** Writes a program into the folder, where it finds the packages. */
  function write(name: string, code: string): string {
    const file = join(folder(), name)
    writeFileSync(file, code)
    return file
  }

  describe('the example of a package README', () => {
    it.each(['rest-core', 'db-adapters', 'backup-targets'])('%s prints what its comments say', async (name) => {
      const code = firstBlock(name, 'ts')
      const { stdout } = await execute(process.execPath, [write(`${name}.ts`, code)], { cwd: folder() })
      expect(saidOutput(code).length).toBeGreaterThan(0)
      expect(stdout.trimEnd().split('\n')).toEqual(saidOutput(code))
    })

    it('rest-koa answers the call below it', async ({ skip }) => {
      skip(shellIsMissing() !== undefined, shellIsMissing())
      const port = await takeTestPort()
      const code = firstBlock('rest-koa', 'ts').replace('8080', String(port))
      const program = spawn(process.execPath, [write('rest-koa.ts', code)], { stdio: ['ignore', 'ignore', 'inherit'] })
      try {
        await answering(`http://127.0.0.1:${port}/`, program)
        const call = codeBlocks(readme('rest-koa'), 'sh').find((block) => block.includes('curl')) ?? ''
        expect(await unexpectedOutputs(call.replace('8080', String(port)))).toEqual([])
      } finally {
        program.kill()
      }
    })

    describe('of an application', () => {
      let app: RunningApp

      beforeAll(async () => {
        const objects = join(folder(), 'my-application', 'objects')
        mkdirSync(objects, { recursive: true })
        writeFileSync(join(objects, '..', 'app.yaml'), firstBlock('app-server', 'yaml'))
        writeFileSync(join(objects, 'task.ts'), firstBlock('app-server', 'ts'))
        const fields = '{ mov_title: { type: string, required: true, length: 80 }, mov_year: { type: integer } }'
        writeFileSync(join(objects, 'movie.yaml'), `name: Movie\nfields: ${fields}\n`)
        const cli = join(folder(), 'node_modules', '@steward', 'app-server', 'dist', 'cli.js')
        app = await startApp([join(folder(), 'my-application')], { cli, password: 'an example' })
      })

      afterAll(() => app?.stop())

      it('app-server serves it', async () => {
        const { status, body } = await app.call('/Task', { body: { tsk_title: 'Water the plants' } })
        expect([status, body]).toEqual([
          200,
          { row_id: '1', tsk_title: 'Water the plants', tsk_due: '', tsk_done: false },
        ])
      })

      it('rest-client reads its records and its errors', async () => {
        for (const [title, year] of Object.entries({ Metropolis: 1927, Amélie: 2001 }))
          await app.call('/Movie', { body: { mov_title: title, mov_year: year } })
        const code = firstBlock('rest-client', 'ts').replace('http://localhost:8080', app.origin)
        const { stdout } = await execute(process.execPath, [write('rest-client.ts', code)], {
          env: { ...process.env, STEWARD_PASSWORD: 'an example', NO_COLOR: '1' },
        })
        expect(stdout).toMatch(/^2 Amélie\nERR_VALIDATION \[/)
      })
    })
  })
}

/** What the comments after `console.log(…)` say, in their order. */
function saidOutput(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text)
}

/** Waits until a server answers there; gives up when the program has ended. */
async function answering(address: string, program: ChildProcess): Promise<void> {
  while (program.exitCode === null) {
    try {
      await fetch(address)
      return
    } catch {
      await new Promise((later) => setTimeout(later, 50))
    }
  }
  throw new Error('The program ended.')
}
