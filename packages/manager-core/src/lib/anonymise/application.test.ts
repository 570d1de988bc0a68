import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { describeApplication } from './application.js'

const field = { name: 'text', label: 'Text', column: 'text', type: 'text' }
const note = { name: 'Note', table: 'note', key: [], fields: [field] }
const good = { format: 'steward-application', version: 1, documents: '/none', objects: [note] }

/** What an application server prints is described. */
function described(answer: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-described-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'app'))
  const applicationServer = join(folder, 'server.mjs')
  writeFileSync(applicationServer, `process.stdout.write(${JSON.stringify(JSON.stringify(answer))})`)
  const context = { applicationServer, home: { servers: join(folder, 'servers') } }
  const of = { folder, settings: { others: {} } }
  return describeApplication(context as never, join(folder, 'app'), of)
}

it('describeApplication() refuses an answer that does not describe objects and fields', async () => {
  expect(await described(good)).toEqual(good)
  const wrong = [
    null,
    { ...good, version: 2 },
    { ...good, documents: null },
    { ...good, objects: { length: 1e9 } },
    { ...good, objects: [null] },
    { ...good, objects: [{ ...note, key: 'text' }] },
    { ...good, objects: [{ ...note, fields: [{ ...field, label: 1 }] }] },
    { ...good, objects: [{ ...note, fields: 'none' }] },
  ]
  const help = 'Use an application server that supports --describe.'
  for (const answer of wrong) await expect(described(answer)).rejects.toMatchObject({ code: 'ERR_FAILED', help })
})
