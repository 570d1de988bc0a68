import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checks } from '../checks/index.js'
import { runCheck } from '../checks/run-check.js'
import { createLocalTarget } from '../local/create-local-target.js'
import type { BackupTarget } from '../target.js'
import * as faulty from './faulty.js'

let path: string

beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), 'steward-faulty-'))
})

afterAll(() => rmSync(path, { recursive: true }))

/** Checks that must find a fault. */
const faults: Readonly<Record<string, { wrap(target: BackupTarget): BackupTarget; found: readonly string[] }>> = {
  'cut connections': {
    wrap: (target) => faulty.cutting(target, { afterBytes: 50_000 }),
    found: ['an object is stored, found and read back', 'progress grows up to the size'],
  },
  'objects that are one byte short': {
    wrap: faulty.wrongSize,
    found: ['an object is stored, found and read back', 'an object is replaced, also by a smaller one'],
  },
  'one flipped bit': {
    wrap: faulty.corrupting,
    found: [
      'an object is stored, found and read back',
      'the hashes that the store computes are right',
      'an upload that was cut goes on where it was',
    ],
  },
  'lists that lag behind': {
    wrap: faulty.listLag,
    found: [
      'a list has what begins with the prefix, and nothing else',
      'a list knows at once what was stored and deleted, also by others',
    ],
  },
  'uploads that are called good although their source failed': {
    wrap: faulty.trusting,
    found: [
      'an upload whose source fails leaves nothing that is seen, and does not harm what was there',
      'a source with fewer or more bytes than it promised is not stored',
      'an upload that was cut goes on where it was',
    ],
  },
  'objects that grow under their final keys': {
    wrap: faulty.visible,
    found: ['nothing is seen of an upload before its end', 'an object that is being replaced is read as it was'],
  },
  'objects that are replaced against the wish': {
    wrap: faulty.overwriting,
    found: [
      'an object that is there is kept when that is asked for',
      'of two writers that both want to be the first, one wins',
    ],
  },
  'signals that are not heard': {
    wrap: faulty.deaf,
    found: [
      'a call that is aborted before rejects with the reason',
      'a download that is aborted fails with the reason, and the target goes on',
    ],
  },
  'streams that just end when they are cut': {
    wrap: faulty.endingEarly,
    found: ['an object is stored, found and read back', 'a part of an object is read'],
  },
}

describe.each(Object.entries(faults))('the suite finds %s', (_fault, { wrap, found }) => {
  it.each(found)('because not: %s', async (name) => {
    const check = checks.find((each) => each.name === name)
    if (!check) throw new Error(`There is no check "${name}".`)
    const open = () => Promise.resolve(wrap(createLocalTarget({ path })))
    await expect(runCheck(check, { target: await open(), open, prefix: 'faulty/' })).rejects.toThrow()
  })
})
