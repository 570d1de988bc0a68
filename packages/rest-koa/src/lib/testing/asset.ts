import { defineObject } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'

/** A key of two members, documents, and hooks that refuse or write more. */
export const Asset = defineObject({
  name: 'Asset',
  table: 'http_asset',
  fields: {
    ast_site: { type: 'string', length: 50, key: true },
    ast_number: { type: 'integer', key: true },
    ast_note: { type: 'string', length: 200 },
    ast_count: { type: 'integer', min: 0 },
    ast_bought: { type: 'date', index: true },
    ast_serial: { type: 'string', length: 50, unique: true },
    ast_file: { type: 'document', maxBytes: 2 ** 30 },
    ast_small: { type: 'document', maxBytes: 1000 },
    ast_picture: { type: 'image', thumbnailPixels: 20 },
    ast_fixed: { type: 'document', readOnly: true },
  },
  order: ['-ast_bought', 'ast_site'],
  hooks: {
    preSave({ values }) {
      if (values['ast_note'] === 'refuse') throw new RestError('ERR_RIGHT', 'This note is refused.')
    },
    async preUpdate({ old }) {
      if ((await old())?.['ast_note'] === 'locked') throw new RestError('ERR_RIGHT', 'This asset is locked.')
    },
    async postSave({ values, service, principal }) {
      const [, code] = /^genre (.*)$/.exec(String(values['ast_note'])) ?? []
      if (!code) return
      await service.transaction((inside) => inside.create(principal, 'Genre', { gen_code: code }))
    },
  },
})
