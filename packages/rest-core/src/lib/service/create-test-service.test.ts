import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createTestService } from './create-test-service.js'

const Paper = defineObject({
  name: 'Paper',
  audit: true,
  events: true,
  fields: {
    pap_title: { type: 'string', length: 20, required: true },
    pap_note: { type: 'string' },
    pap_file: { type: 'document' },
  },
})

test('createTestService() serves objects with documents, audit and events, and users with rights', async () => {
  const { service, system, user, documents, store, model } = createTestService([Paper])
  await store.sync(model)
  const ann = user('ann', [{ object: 'Paper', letters: 'CR', hidden: ['pap_note'] }])
  const file = { name: 'a.txt', content: Buffer.from('hello').toString('base64') }
  const paper = await service.create(ann, Paper, { pap_title: 'a', pap_file: file })
  expect(await text(await documents.read(paper.pap_file))).toBe('hello')
  expect(paper).not.toHaveProperty('pap_note')
  await expect(service.delete(ann, Paper, paper.row_id)).rejects.toMatchObject({ code: 'ERR_RIGHT' })
  expect((await service.count(system, 'AuditEntry')).count).toBe(1)
  expect(() => user('bob', [{ object: 'Papr', letters: 'R' }])).toThrow('there is no object "Papr"')
  await service.delete(system, Paper, paper.row_id)
  expect(await documents.info(paper.pap_file)).toBeUndefined()
})
