import { expect, it } from 'vitest'
import { backupFormat } from '../testing/backup-format.js'
import type { Manifest } from './backup.js'
import { manifestText, parseManifest } from './manifest.js'

const [, text = ''] = /```json\n([^]*?)```/.exec(backupFormat) ?? []
const whole = Buffer.from(text)
const example = parseManifest(whole, 'manifest.json')
const parse = (bytes: Uint8Array) => () => parseManifest(bytes, 'manifest.json')
const damaged = expect.objectContaining({ code: 'ERR_BACKUP', message: expect.stringContaining('is damaged') })

it('a manifest is written as it was read', () => {
  expect(manifestText(example)).toBe(text)
})

it('a manifest that is cut off anywhere, or has another bit anywhere, is damaged', () => {
  const taken: string[] = []
  const refuse = (bytes: Buffer, what: string) => {
    try {
      parse(bytes)()
      taken.push(what)
    } catch (error) {
      if (!(error as Error).message.includes('is damaged')) taken.push(`${what}: ${String(error)}`)
    }
  }
  for (let at = 0; at < whole.length; at++) {
    refuse(whole.subarray(0, at), `${at} bytes`)
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] as number) ^ (1 << (at % 8))
    refuse(changed, `a bit of byte ${at}`)
  }
  expect(taken).toEqual([])
})

it.each([
  ['a byte-order mark', Buffer.from(`\uFEFF${text}`)],
  ['something behind it', Buffer.from(`${text}\n`)],
  ['a field twice', Buffer.from(text.replace('{', '{\n  "format": 1,'))],
  ['null instead', Buffer.from('null\n')],
  ['a list instead', Buffer.from('[]\n')],
])('a manifest with %s is damaged', (_what, bytes) => {
  expect(parse(bytes)).toThrow(expect.objectContaining({ code: 'ERR_BACKUP' }))
})

it('a manifest of a later format is refused, and fields that are not known are taken', () => {
  const written = (manifest: object) => Buffer.from(manifestText(manifest as Manifest))
  expect(parse(written({ ...example, format: 3 }))).toThrow('made by a newer manager')
  expect(parse(written({ format: 1 }))).toThrow(damaged)
  expect(parse(written({ ...example, later: [1] }))()).toMatchObject({ later: [1], id: example.id })
})

it.each(['../../etc/passwd', 'db/sqlite.zst', '/etc/passwd', '.hidden', 'manifest.json', '', 'db..zst'])(
  'a manifest that names the file %j is damaged, though its hash is right',
  (name) => {
    const [file] = example.files
    const manifest = { ...example, files: [{ ...file, name }] } as Manifest
    expect(parse(Buffer.from(manifestText(manifest)))).toThrow(damaged)
  },
)
