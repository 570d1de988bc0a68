import { createModel } from '../model/create-model.js'

const model = createModel([
  {
    name: 'Genre',
    fields: { gen_code: { type: 'string', key: true }, gen_secret: { type: 'string', hidden: true } },
  },
  {
    name: 'Movie',
    fields: {
      title: { type: 'string' },
      year: { type: 'integer' },
      big: { type: 'integer', precision: 18 },
      price: { type: 'decimal', precision: 20, scale: 3 },
      seen: { type: 'boolean' },
      released: { type: 'date' },
      bought: { type: 'datetime' },
      starts: { type: 'time' },
      state: { type: 'enum', values: ['PUB', 'IN_WORK', { code: 'OLD', enabled: false }] },
      tags: { type: 'multi-enum', values: ['a', 'b', 'c'] },
      gen_id: { type: 'reference', object: 'Genre', display: ['gen_code'] },
      poster: { type: 'image' },
      place: { type: 'geocoords' },
      extra: { type: 'object' },
      password: { type: 'password' },
      secret: { type: 'string', hidden: true },
    },
  },
])

/** An object with a field of most types, joined fields, a hidden one and a password. */
export const movie = model.object('Movie')
