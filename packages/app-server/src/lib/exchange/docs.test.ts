import { expect, test } from 'vitest'
import { codeBlocks } from '../../../../../tests/programs/markdown.js'
import { allOf, boss, emptyService, pieces } from './exchange-for-test.js'
import { importRecords } from './import-records.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import { readXml } from './read-xml.js'

const blocks = (language: string) =>
  codeBlocks(new URL('../../../../../docs/import-export.md', import.meta.url), language).map((text) => pieces(text))

test('the files that docs/import-export.md shows are imported', async () => {
  const service = await emptyService()
  const [xml = [], json = [], csv = []] = [blocks('xml')[0], blocks('json')[0], blocks('csv')[0]]
  expect(await importRecords(service, boss, readXml(xml))).toMatchObject({
    Genre: { created: 2 },
    Movie: { created: 1 },
  })
  expect(await allOf(service, 'Movie')).toMatchObject([{ mov_title: 'Alien & co.', mov_data: { oscars: [1980] } }])
  expect(await importRecords(service, boss, readJson(json))).toMatchObject({
    Genre: { unchanged: 1 },
    Movie: { created: 1, updated: 1 },
  })
  const report = await importRecords(service, boss, readCsv(csv, { object: 'Movie' }))
  expect(report).toMatchObject({ Movie: { updated: 1, unchanged: 1 } })
  expect(await allOf(service, 'Movie')).toMatchObject([{ mov_title: 'Alien; the "first" one', mov_year: 1979 }, {}])
})
