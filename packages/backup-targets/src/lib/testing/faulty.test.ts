import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checks } from '../checks/index.js'
import { runCheck } from '../checks/run-check.js'
import { createLocalTarget } from '../local/target.js'
import type { BackupTarget } from '../target.js'
import * as faulty from './faulty.js'

let path: string

beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), 'steward-faulty-'))
})

afterAll(() => rmSync(path, { recursive: true }))

const stored = 'an object is stored, found and read back'

/** Checks that must find a fault, and what they say. */
const faults: Readonly<Record<string, { wrap(target: BackupTarget): BackupTarget; found: Record<string, RegExp> }>> = {
  'cut connections': {
    wrap: (target) => faulty.cutting(target, { afterBytes: 50_000 }),
    found: { [stored]: /The connection was reset/, 'progress grows up to the size': /The connection was reset/ },
  },
  'objects that are one byte short': {
    wrap: faulty.wrongSize,
    found: {
      [stored]: /stat\(\).*299999.*instead of/,
      'an object is replaced, also by a smaller one': /49999 bytes instead of 50000/,
    },
  },
  'one flipped bit': {
    wrap: faulty.corrupting,
    found: {
      [stored]: /another content at byte 100/,
      'the hashes that the store computes are right': /sha256 of 1000 bytes/,
      'an interrupted upload resumes where it stopped': /another content at byte 100/,
    },
  },
  'hashes of other bytes': {
    wrap: faulty.wrongHash,
    found: { 'the hashes that the store computes are right': /sha256 of 0 bytes: "0+" instead of/ },
  },
  'lists that lag behind': {
    wrap: faulty.listLag,
    found: {
      'a list has what begins with the prefix, and nothing else': /list\(\) of "": \[\] instead of/,
      'a list immediately shows what was stored and deleted, also by others': /after put\(\): \[\] instead of/,
    },
  },
  'uploads that are called good although their source failed': {
    wrap: faulty.trusting,
    found: {
      'an upload whose source fails leaves nothing that is seen, and does not harm what was there': /did not fail/,
      'a source with fewer or more bytes than it promised is not stored': /200000 bytes as 200001 did not fail/,
      'an interrupted upload resumes where it stopped': /did not fail/,
    },
  },
  'uploads that go on with another content': {
    wrap: faulty.blending,
    found: { 'an upload never resumes with other content': /another content/ },
  },
  'objects that grow under their final keys': {
    wrap: faulty.visible,
    found: {
      'nothing is seen of an upload before its end': /stat\(\) during the upload/,
      'an object that is being replaced is read as it was': /instead of 9000/,
    },
  },
  'objects that are replaced against the wish': {
    wrap: faulty.overwriting,
    found: {
      'an object that is there is kept when that is asked for': /did not fail/,
      'of two writers that both want to be the first, one wins': /did not fail/,
    },
  },
  'signals that are not heard': {
    wrap: faulty.deaf,
    found: {
      'a call that is aborted before rejects with the reason': /put\(\) did not fail/,
      'an aborted download fails with the reason, and the target still works': /did not fail/,
    },
  },
  'streams that just end when they are cut': {
    wrap: faulty.endingEarly,
    found: {
      [stored]: /another content after \d+ bytes/,
      'a part of an object is read': /another content after \d+ bytes/,
    },
  },
  'what cut uploads left and nobody sweeps': {
    wrap: faulty.untidy,
    found: { 'what cut uploads left is swept, and nothing else': /found nothing of an upload that was cut/ },
  },
}

describe.each(Object.entries(faults))('the suite finds %s', (_fault, { wrap, found }) => {
  it.each(Object.entries(found))('because not: %s', async (name, message) => {
    const check = checks.find((each) => each.name === name)
    if (!check) throw new Error(`There is no check "${name}".`)
    const target = wrap(createLocalTarget({ path }))
    const open = () => Promise.resolve(wrap(createLocalTarget({ path })))
    await expect(runCheck(check, { target, another: open, open, prefix: 'faulty/' })).rejects.toThrow(message)
  })
})
