import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StepRun } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import { forgeBackup, forgedHeader, hidden, withMore } from '../testing/forged-archive.js'
import { whyNoAccounts } from '../testing/reachable-checkout.js'
import type { Manifest } from './backup.js'
import { documentsBase, manifestName, manifestText, parseManifest } from './manifest.js'
import { storeFolder } from './packing/store-folder.js'
import { restoreDocuments } from './restore-documents.js'
import { tarOf, verifyFile } from './verify-backup.js'

/** An id of an account is enough to run as it. */
const account = whyNoAccounts === undefined ? { name: 'steward-test', uid: 59_997, gid: 59_997 } : undefined

describe('documents of a backup that come into the folder of an instance', () => {
  let folder: string
  const home = () => instanceHomeAt(join(folder, 'home'))
  const document = (...path: readonly string[]) => join(home().data, 'documents', ...path)
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-documents-'))
    chmodSync(folder, 0o711)
    mkdirSync(join(folder, 'source', 'documents', 'ab'), { recursive: true })
    writeFileSync(join(folder, 'source', 'documents', 'ab', 'content'), 'saved')
    mkdirSync(join(folder, 'backup'))
    mkdirSync(home().data, { recursive: true })
    if (account) chownSync(home().data, account.uid, account.gid)
    const name = `${documentsBase}.zst`
    const file = await open(join(folder, 'backup', name), 'wx')
    const end = storeFolder({ folder: join(folder, 'source'), entries: ['documents'] }, file).then(
      ({ measures }) => measures,
    )
    await end
    const files = [await verifyFile(join(folder, 'backup'), name, { end, tar: tarOf(name) })]
    writeFileSync(join(folder, 'backup', manifestName), manifestText({ format: 2, files }))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function restore(): Promise<void> {
    const backup = join(folder, 'backup')
    const manifest = parseManifest(readFileSync(join(backup, manifestName)), manifestName)
    const context = { settings: { global: { backupEncryption: {} } }, clock: () => new Date() }
    const run = { context, signal: new AbortController().signal, progress: () => undefined } as unknown as StepRun
    await restoreDocuments(run, {
      backup,
      manifest: manifest satisfies Manifest,
      home: home(),
      account,
      place: undefined,
    })
  }

  it('belong to its account, also when some are there, and when it is repeated', async () => {
    await restore()
    writeFileSync(document('other'), 'other')
    if (account) chownSync(document('other'), account.uid, account.gid)
    await restore()
    expect(readFileSync(document('ab', 'content'), 'utf8')).toBe('saved')
    expect(readFileSync(document('other'), 'utf8')).toBe('other')
    for (const path of [[], ['ab'], ['ab', 'content']])
      expect(statSync(document(...path)).uid).toBe(account?.uid ?? process.getuid?.())
    expect(readdirSync(home().folder)).toEqual(['data'])
  })

  it('are not there when the archive hides something', async () => {
    const device = forgedHeader({ name: 'documents/disk', type: '4' })
    forgeBackup(join(folder, 'backup'), documentsBase, (tar) => withMore(tar, hidden('documents', device)))
    await expect(restore()).rejects.toThrow('the type "S"')
    expect(readdirSync(home().data)).toEqual([])
  })
})
