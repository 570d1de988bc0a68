import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TemplateSource } from '../templates/template-source.js'

/** What the suite needs of a kind of source, made fresh for each test. */
export interface TemplateSourceFixture {
  readonly source: TemplateSource
  /** Makes an application of these files the newest revision; gives the location, the same every time. */
  publish(files: Readonly<Record<string, string>>): Promise<string> | string
  /** A location of this kind with nothing there. */
  readonly missing: string
  /** A folder that must be empty whenever nothing is under way. */
  readonly workFolder?: string
  close(): Promise<void> | void
}

const application = { 'app.yaml': 'name: shop\nversion: 1.0.0\n', 'objects/thing.yaml': 'name: Thing\n' }

/** What holds for every source of templates. */
export function testTemplateSource(name: string, create: () => Promise<TemplateSourceFixture> | TemplateSourceFixture) {
  describe(`template source ${name}`, () => {
    let fixture: TemplateSourceFixture
    let folder: string

    beforeEach(async () => {
      fixture = await create()
      folder = mkdtempSync(join(tmpdir(), 'steward-fetched-'))
    })

    afterEach(async () => {
      if (fixture.workFolder !== undefined) expect(readdirSync(fixture.workFolder)).toEqual([])
      rmSync(folder, { recursive: true, force: true })
      await fixture.close()
    })

    it('accepts its own locations and no others', async () => {
      const location = await fixture.publish(application)
      expect(fixture.source.accepts(location)).toBe(true)
      expect(fixture.source.accepts(fixture.missing)).toBe(true)
      for (const other of ['', 'default', 'nothing:here', fixture.source.name, `x${location}`])
        expect(fixture.source.accepts(other)).toBe(false)
    })

    it('latest() names a revision until there is another one, and fetch() gives the one that is asked for or refuses', async () => {
      const location = await fixture.publish(application)
      const first = await fixture.source.latest(location)
      expect(first.revision).toMatch(/^[\w.+-]+$/)
      expect(new Date(first.date).toISOString()).toBe(first.date)
      expect(await fixture.source.latest(location)).toEqual(first)
      const changed = { ...application, 'objects/thing.yaml': 'name: Other\n' }
      await fixture.publish(changed)
      const second = await fixture.source.latest(location)
      expect(second.revision).not.toBe(first.revision)
      await fixture.source.fetch(location, second, folder)
      const names = readdirSync(folder, { recursive: true }).map(String)
      expect(names.filter((path) => path !== 'package.json').toSorted()).toEqual([
        'app.yaml',
        'objects',
        join('objects', 'thing.yaml'),
      ])
      for (const [path, content] of Object.entries(changed))
        expect(readFileSync(join(folder, path), 'utf8')).toBe(content)

      const other = join(folder, 'other')
      mkdirSync(other)
      try {
        await fixture.source.fetch(location, first, other)
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_TEMPLATE' })
        return
      }
      expect(readFileSync(join(other, 'objects', 'thing.yaml'), 'utf8')).toBe('name: Thing\n')
    })

    it('says what cannot be reached', async () => {
      await expect(fixture.source.latest(fixture.missing)).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
      const revision = { revision: '1.0.0', date: '2030-01-01T00:00:00.000Z' }
      await expect(fixture.source.fetch(fixture.missing, revision, folder)).rejects.toMatchObject({
        code: 'ERR_TEMPLATE',
      })
    })

    it('ends when it is aborted', async () => {
      const location = await fixture.publish(application)
      const revision = { revision: '1.0.0', date: '2030-01-01T00:00:00.000Z' }
      const signal = AbortSignal.abort(new Error('enough'))
      await expect(fixture.source.latest(location, signal)).rejects.toThrow(/enough|abort/)
      const other = join(folder, 'other')
      mkdirSync(other)
      await expect(fixture.source.fetch(location, revision, other, signal)).rejects.toThrow(/enough|abort/)
    })
  })
}
