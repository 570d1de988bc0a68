import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AnalysedApplication, QualityServer } from '../quality-server.js'

/** What the suite needs of a kind of quality server, new for each test. */
export interface QualityServerFixture {
  readonly server: QualityServer
  /** One of the same kind that cannot be reached, or whose credentials are wrong; absent: it needs no other program. */
  readonly broken?: QualityServer
  /** Credentials of both servers: they must not appear in any text. */
  readonly secrets?: readonly string[]
  close?(): Promise<void> | void
}

const files = {
  'app.yaml': 'name: shop\nversion: 1.0.0\n',
  'objects/thing.yaml': 'name: Thing\nfields:\n  thi_name: { type: string }\n',
  'objects/thing.ts': 'export const count = 1\n',
  'tools/helper.ts': 'export const helper = () => 1\n',
}
const modules = [
  { name: 'tools', files: ['tools/helper.ts'] },
  { name: 'objects', files: ['objects/thing.yaml', 'objects/thing.ts'] },
]

/** What every quality server does: a small application is analysed with it. */
export function testQualityServer(
  name: string,
  create: () => Promise<QualityServerFixture> | QualityServerFixture,
): void {
  describe(`quality server ${name}`, () => {
    let fixture: QualityServerFixture
    let application: AnalysedApplication

    beforeEach(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'steward-analysed-'))
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(join(folder, file, '..'), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
      application = { instance: { id: '1', name: 'shop' }, folder, findings: [] }
      fixture = await create()
    })

    afterEach(async () => {
      rmSync(application.folder, { recursive: true, force: true })
      await fixture.close?.()
    })

    const expectNoSecret = (text: string) => {
      for (const secret of fixture.secrets ?? []) expect(text).not.toContain(secret)
    }

    it('has a name without blanks', () => {
      expect(fixture.server.name).toMatch(/^\S{1,200}$/)
    })

    it('probe() says what answered, without credentials', async () => {
      const { message } = await fixture.server.probe()
      expect(message).not.toBe('')
      expectNoSecret(message)
    })

    it('analyse() reports on each module, in the order of the call', async () => {
      const progress: string[] = []
      const { reports, notes } = await fixture.server.analyse(application, modules, {
        onProgress: (text) => progress.push(text),
      })
      expect(reports.map(({ module }) => module)).toEqual(['tools', 'objects'])
      for (const { gate, measures } of reports) {
        expect(['OK', 'WARN', 'ERROR', 'NONE']).toContain(gate)
        for (const value of Object.values(measures)) expect(Number.isFinite(value)).toBe(true)
      }
      expectNoSecret(JSON.stringify({ reports, notes, progress }))
    })

    it('analyse() gives issues of their module, with files below the folder of the application', async () => {
      const { reports } = await fixture.server.analyse(application, modules, {})
      for (const { module, issues } of reports)
        for (const issue of issues) {
          expect(issue.module).toBe(module)
          expect(issue.rule).not.toBe('')
          expect(issue.message).not.toBe('')
          expect(['error', 'warning', 'info']).toContain(issue.severity)
          if (issue.file !== undefined) expect(Object.keys(files)).toContain(issue.file)
          if (issue.line !== undefined) expect(issue.line).toBeGreaterThanOrEqual(1)
        }
    })

    it('analyse() of one module reports on no other', async () => {
      const { reports } = await fixture.server.analyse(application, modules.slice(1), {})
      expect(reports.map(({ module }) => module)).toEqual(['objects'])
    })

    it('analyse() leaves the application as it is', async () => {
      const before = contentsOf(application.folder)
      await fixture.server.analyse(application, modules, {})
      expect(contentsOf(application.folder)).toEqual(before)
    })

    it('analyse() rejects when it was cancelled', async () => {
      const signal = AbortSignal.abort(new Error('cancelled by the test'))
      await expect(fixture.server.analyse(application, modules, { signal })).rejects.toThrow(/cancelled|abort/i)
    })

    it('rejects with a reason, and without credentials, when it cannot work', async () => {
      const { broken } = fixture
      // A server that needs no other program always works.
      if (broken === undefined) return
      const failures = await Promise.all(
        [broken.probe(), broken.analyse(application, modules, {})].map((result) =>
          result.then(
            () => undefined,
            (error: unknown) => error,
          ),
        ),
      )
      for (const error of failures) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_/) as string })
        expectNoSecret(`${String(error)} ${JSON.stringify(error)}`)
      }
    })
  })
}

function contentsOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  const contents = names
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ])
  return Object.fromEntries(contents) as Record<string, string>
}
