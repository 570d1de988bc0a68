import type { BackupTarget, StoredObject } from '@steward/backup-targets'
import { expect, it } from 'vitest'
import { listManagerCopies } from './manager-copy.js'

it('of copies of the same second, the one of more changes is the newer one', async () => {
  const ids = ['20261122T193000Z-9', '20261122T193000Z-10', '20261122T193001Z-8', '20261121T193000Z-11']
  const objects = ids.map((id) => ({ key: `_manager/abc/${id}/manifest.json` }) as StoredObject)
  const target = { list: async () => ({ objects }) } as unknown as BackupTarget
  const copies = await listManagerCopies(target)
  expect(copies.map(({ key }) => key.slice('_manager/abc/'.length))).toEqual([ids[2], ids[1], ids[0], ids[3]])
})
