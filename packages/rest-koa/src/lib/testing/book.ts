import { defineObject } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'

/** Background actions that wait at a gate until a test opens it, by the name of the gate. */
export const gates = new Map<string, () => void>()

/** An object with actions and publications. */
export const Book = defineObject({
  name: 'Book',
  table: 'http_book',
  fields: {
    boo_title: { type: 'string', length: 100, key: true },
    boo_pages: { type: 'integer' },
    boo_price: { type: 'decimal', scale: 2 },
    boo_kind: {
      type: 'enum',
      values: [
        { code: 'F', label: 'Fiction' },
        { code: 'N', label: 'Non-fiction' },
      ],
    },
    boo_since: { type: 'date' },
    boo_lent: { type: 'boolean' },
    boo_genre_id: { type: 'reference', object: 'Genre', display: ['gen_name'] },
  },
  order: ['boo_title'],
  pageSize: 5,
  publications: {
    sheet: {
      format: 'html',
      template:
        '<h1>{{boo_title}}</h1><p>{{label boo_kind}}, {{number boo_price digits=2}}, {{boo_genre_id__gen_name}}</p>',
      fileName: '{{boo_title}}',
    },
    note: { format: 'txt', scope: 'both', template: '{{#each records}}{{boo_title}};{{/each}}{{count}}' },
    table: { format: 'csv', scope: 'both', fields: ['boo_title', 'boo_price', 'boo_since', 'boo_lent'] },
    data: { format: 'json', scope: 'both', fields: ['boo_title', 'boo_pages', 'boo_price'] },
    feed: { format: 'xml', scope: 'global', fields: ['boo_title', 'boo_kind'] },
    list: { format: 'xlsx', scope: 'global', fields: ['boo_title', 'boo_price', 'boo_since'] },
    print: { format: 'pdf', scope: 'global', fields: ['boo_title', 'boo_price'] },
    staff: { format: 'txt', scope: 'global', template: 'x', groups: ['STAFF'] },
  },
  hooks: {
    isActionEnable: ({ action, record }) => !(action === 'reprice' && record?.['boo_kind'] === 'N'),
  },
  actions: {
    reprice: {
      parameters: {
        percent: { type: 'integer', required: true, min: -50, max: 50 },
        boo_kind: { type: 'enum', values: ['F', 'N'] },
        why: { type: 'string', length: 10, default: 'sale' },
      },
      async run({ service, principal, record, parameters }) {
        const price = (Number(record?.['boo_price']) * (100 + Number(parameters['percent']))) / 100
        const { row_id: id, boo_title } = record as { row_id: string; boo_title: string }
        await service.update(principal, 'Book', id, { boo_price: price })
        const why = parameters['why']
        await service.create(principal, 'Genre', { gen_code: `log ${id} ${why}` })
        if (why === 'undo') throw new RestError('ERR_CONFLICT', 'Everything is undone.')
        if (why === 'break') throw new Error('secret detail')
        return { title: boo_title, price, kind: parameters['boo_kind'] ?? null }
      },
    },
    count: {
      scope: 'global',
      parameters: { boo_pages: { type: 'integer' } },
      async run({ records, parameters }) {
        const titles: unknown[] = []
        for await (const batch of await records()) titles.push(...batch.map(({ boo_title }) => boo_title))
        return { titles, pages: parameters['boo_pages'] }
      },
    },
    lend: {
      scope: 'global',
      async run({ service, principal, records }) {
        let count = 0
        for await (const batch of await records()) {
          for (const { row_id: id } of batch) {
            await service.update(principal, 'Book', id, { boo_lent: true })
            count++
          }
        }
        return `${count} lent`
      },
    },
    back: {
      scope: 'both',
      background: true,
      parameters: { gate: { type: 'string' } },
      async run({ service, principal, record, records, parameters, progress, signal }) {
        const gate = parameters['gate']
        let done = 0
        progress(done, undefined, 'waiting')
        if (gate !== '')
          await new Promise<void>((resolve, reject) => {
            gates.set(gate, resolve)
            signal.addEventListener('abort', () => reject(signal.reason as Error))
          })
        if (gate === 'broken') throw new Error('secret detail')
        for await (const batch of record ? [[record]] : await records()) {
          for (const { row_id: id } of batch) {
            await service.update(principal, 'Book', id, { boo_lent: false })
            progress(++done)
          }
        }
        return { done }
      },
    },
    odd: { scope: 'both', run: () => new Date() },
  },
})
