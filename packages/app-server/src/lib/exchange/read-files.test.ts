import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { listed, pieces, temporaryFolder } from './exchange-for-test.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import { readZip } from './read-zip.js'

const csv = (text: string, size?: number) =>
  listed(readCsv(pieces(text, size), { object: 'Movie', file: 'm.csv' })).then((list) =>
    list.map((record) => (record as unknown[])[2]),
  )

test.for([1, 5, 1000])('CSV: quotes, line breaks and a byte order mark, in pieces of %i bytes', async (size) => {
  const expected = [
    { a: 'x, "y"', 'b.c': 'two\r\nlines' },
    { a: '', 'b.c': ' =1+1 ' },
  ]
  expect(await csv('\ufeffa,b.c\r\n"x, ""y""","two\r\nlines"\r\n, =1+1 \r\n', size)).toEqual(expected)
  expect(await csv('a;b.c\n"x, ""y""";"two\r\nlines"\n\n; =1+1 ', size)).toEqual(expected)
})

test('CSV: the separator is the one that the header has, also when values have the other', async () => {
  expect(await csv('a,b\n1;2;3,4\n')).toEqual([{ a: '1;2;3', b: '4' }])
  expect(await csv('"a,x,y,z";b\n1,2;3\n')).toEqual([{ 'a,x,y,z': '1,2', b: '3' }])
  expect(await csv('only\nx\n""\n')).toEqual([{ only: 'x' }, { only: '' }])
})

test.for([1, 2, 1000])('CSV: each line may end in its own way, in pieces of %i bytes', async (size) => {
  const expected = [
    { code: 'A1', name: 'Berlin' },
    { code: 'A2', name: 'Oslo' },
    { code: 'A3', name: 'Rome' },
  ]
  expect(await csv('code,name\nA1,Berlin\r\nA2,Oslo\r\nA3,Rome', size)).toEqual(expected)
  expect(await csv('code,name\r\nA1,Berlin\nA2,Oslo\rA3,Rome\n', size)).toEqual(expected)
  expect(await csv('code,name\rA1,"Berlin"\r\n\nA2,Oslo\n\rA3,Rome\r', size)).toEqual(expected)
})

test.for([1, 1000])('CSV: takes what spreadsheets write, in pieces of %i bytes', async (size) => {
  const expected = [{ a: '1,5', b: '|' }]
  expect(await csv('sep=;\r\na;b\r\n1,5;|\r\n', size)).toEqual(expected)
  expect(await csv('\ufeffSEP=\t\na\tb\n1,5\t|\n', size)).toEqual(expected)
  expect(await csv('a;b;;\r\n1,5;|;;\r\n', size)).toEqual(expected)
  expect(await csv('a\tb\n1,5\t|\n', size)).toEqual(expected)
  expect(await csv('a|b\n1,5|"|"\n', size)).toEqual(expected)
  await expect(csv('sep=;\na;b\n1;2\n3\n', size)).rejects.toThrow('m.csv, line 4: The record has another number')
  await expect(csv('a;b;\n1;2;\n1;2;3\n', size)).rejects.toThrow('m.csv, line 3: There is a value in a column')
})

test.for([
  ['', 'm.csv: The file is empty'],
  ['a,,b\n', 'm.csv, line 1: A column has no name.'],
  ['a,b,a\n', 'Column "a" is there twice.'],
  [`a${',b'.repeat(4_000)}\n`, 'm.csv, line 1: The first line names more than 4000 columns.'],
  [`a${';"b;"'.repeat(4_000)}\n`, 'm.csv, line 1: The first line names more than 4000 columns.'],
  ['a,b\n1,2\n1\n', 'm.csv, line 3: The record has another number of values'],
  ['a,b\n1,"2\n', 'A quote is not closed.'],
  ['a,b\n1,"2"x\n', 'line 2: A quote is closed within a value'],
] as const)('CSV: refuses %j', async ([text, message]) => {
  await expect(csv(text)).rejects.toThrow(message)
})

const json = (value: unknown) =>
  listed(readJson(pieces(typeof value === 'string' ? value : JSON.stringify(value)), { file: 'm.json' }))

test('JSON: lists are as long as they are, and brackets and commas in texts do not count', async () => {
  const text = '\\"[{,'.repeat(3_000)
  const data = [{ x: text }, { x: Array.from({ length: 5_000 }, () => 1) }]
  expect(await json([{ name: 'A', data }])).toHaveLength(2)
})

test('JSON: blocks with one record or several, bare or in "objects"', async () => {
  const blocks = [
    { name: 'A', data: { x: 1 } },
    { name: 'B', action: 'delete', data: [{ y: null }, { y: ['a'] }] },
  ]
  const expected = [
    ['A', 'upsert', { x: 1 }],
    ['B', 'delete', { y: null }],
    ['B', 'delete', { y: ['a'] }],
  ]
  expect(await json(blocks)).toEqual(expected)
  expect(await json({ objects: blocks })).toEqual(expected)
})

test.for([
  [`[${'['.repeat(1_000_000)}`, 'm.json: The file is nested deeper than 100 levels.'],
  [`[{"name":"A","data":{"x":1${',"y":1'.repeat(50_000)}}}]`, 'm.json: An object has more than 50000 members.'],
  ['{"objects":[}', 'm.json: The file is not JSON'],
  ['{}', 'The file must be'],
  ['[1]', 'Block 1 must be an object'],
  ['[{"data":{}}]', 'Block 1 needs a "name"'],
  ['[{"name":"A"}]', 'Block 1 needs "data"'],
  ['[{"name":"A","data":[{},3]}]', 'm.json, record 2: A record must be an object'],
  ['[{"name":"A","action":"drop","data":{}}]', '"drop" is not an action'],
] as const)('JSON: refuses %s', async ([text, message]) => {
  await expect(json(text)).rejects.toThrow(message)
})

async function zipOf(entries: Readonly<Record<string, string>>, change = (bytes: Buffer) => bytes): Promise<string> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), name)
  zip.end()
  const path = join(await temporaryFolder(), 'test.zip')
  await writeFile(path, change(await buffer(zip.outputStream)))
  return path
}

test('ZIP: files of the top level in the order of their names; CSV files name their object', async () => {
  const path = await zipOf({
    '10-Movie.csv': 'a\n1\n',
    'more/Other.csv': 'not\nread\n',
    'picture.png': 'no file of records',
    '09-x.json': '[{"name":"Genre","data":{"b":2}}]',
    'Zoo.XML': '<o><object><name>Z</name><data/></object></o>',
  })
  expect(await listed(readZip(path))).toEqual([
    ['Genre', 'upsert', { b: 2 }],
    ['Movie', 'upsert', { a: '1' }],
    ['Z', 'upsert', {}],
  ])
})

test('ZIP: names that reach outside, copies and bombs are refused', async () => {
  const rename = (from: string, to: string) => (bytes: Buffer) =>
    Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
  await expect(listed(readZip(await zipOf({ 'aa/bb.csv': 'x' }, rename('aa/bb.csv', '../bb.csv'))))).rejects.toThrow(
    'not a ZIP that can be read: invalid relative path',
  )
  await expect(
    listed(readZip(await zipOf({ 'a.csv': 'x\n', 'b.csv': 'x\n' }, rename('b.csv', 'a.csv')))),
  ).rejects.toThrow('a.csv: The entry is there twice.')
  const bomb = await zipOf({ 'A.csv': 'a\n'.repeat(1_000_000) })
  await expect(listed(readZip(bomb, { unpackedBytes: 1_000_000 }))).rejects.toThrow('holds more than 1000000 bytes')
  await expect(listed(readZip(await zipOf({ 'a.csv': 'x', 'b.csv': 'x' }), { entries: 1 }))).rejects.toThrow(
    'more than 1 entries',
  )
  // It says that it holds less than it does.
  const lie = (bytes: Buffer) => {
    for (let at = bytes.length - 60; at > 0; at--)
      if (bytes.readUInt32LE(at) === 0x02014b50) bytes.writeUInt32LE(10, at + 24)
    return bytes
  }
  await expect(listed(readZip(await zipOf({ 'A.csv': 'a\n'.repeat(1_000_000) }, lie)))).rejects.toThrow(
    'A.csv: The entry cannot be unpacked',
  )
})

test('ZIP: what is no ZIP, or holds no records, is refused', async () => {
  const path = join(await temporaryFolder(), 'x.zip')
  await writeFile(path, 'no zip')
  await expect(listed(readZip(path))).rejects.toThrow('not a ZIP that can be read')
  await expect(listed(readZip(await zipOf({ 'a.txt': 'x' })))).rejects.toThrow('no .xml, .json or .csv file')
})
