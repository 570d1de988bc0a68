import { expect, test } from 'vitest'
import { listed, pieces } from './exchange-for-test.js'
import { readXml } from './read-xml.js'

const read = (text: string, size?: number) => listed(readXml(pieces(text, size), { file: 'f.xml' }))

const example = `<?xml version="1.0" encoding="UTF-8"?>
<!-- a -- comment > -->
<objects xmlns="urn:x">
  <object>
    <name>Movie</name>
    <action>insert</action>
    <data><mov_code>A&amp;B &lt;&#233;&#x1F600;&gt;</mov_code><mov_genre_id.gen_code> SF </mov_genre_id.gen_code><empty/><none></none></data>
    <data><mov_code><![CDATA[<raw> & ]] ]>]]>tail<!-- no -->&#13;
</mov_code><odd encoding="base64">AQI=</odd></data>
  </object>
  <object><name>Genre</name><data/></object>
</objects>
`

test.for([1, 2, 3, 7, 64, 100_000])('reads blocks, in pieces of %i bytes', async (size) => {
  expect(await read(example, size)).toEqual([
    ['Movie', 'insert', { mov_code: 'A&B <é😀>', 'mov_genre_id.gen_code': ' SF ', empty: '', none: '' }],
    ['Movie', 'insert', { mov_code: '<raw> & ]] ]>tail\r\n', odd: '\u0001\u0002' }],
    ['Genre', 'upsert', {}],
  ])
})

test('line breaks of all systems are one', async () => {
  for (const size of [1, 2, 100])
    expect(
      await read('<o><object><name>A</name><data><x>1\r\n2\r3<![CDATA[\r\n]]></x></data></object></o>', size),
    ).toEqual([['A', 'upsert', { x: '1\n2\n3\n' }]])
})

test.for([
  ['', 'f.xml, line 1: column 1: There is no element.'],
  ['<a>', 'Element <a> is not closed.'],
  ['<a>\n <b></a>', 'line 2'],
  ['<a/><b/>', 'a second root'],
  ['x<a/>', 'Text outside of an element: "x".'],
  ['<a><b', 'ends within a tag'],
  ['<o><object><name><![CDATA[x]]</name>', 'ends within'],
  ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', 'DOCTYPE'],
  ['<o><object><name>&x;</name></object></o>', 'Custom entities'],
  ['<o><object><name>a & b</name></object></o>', 'Write &amp;'],
  ['<o><object><name>&#0;</name></object></o>', 'is not a character'],
  ['<o><object><name>&#xD800;</name></object></o>', 'is not a character'],
  ['<?xml version="1.0" encoding="ISO-8859-1"?><o/>', 'files must be UTF-8'],
  ['<o><thing/></o>', 'line 1: <thing> stands where <object> should.'],
  ['<o><object><data/></object></o>', 'needs its <name> before <data>'],
  ['<o><object><name>A</name><other/></object></o>', '<other> in <object>'],
  ['<o><object><name>A</name><action>drop</action><data/></object></o>', '"drop" is not an action. Use one of: upsert'],
  ['<o><object><name>A</name><data>text</data></object></o>', 'Text within <data>: "text".'],
  ['<o><object><name>A</name><data><x><y/></x></data></object></o>', '<x> holds text, not <y>.'],
  ['<o><object><name>A</name><data><x/><x/></data></object></o>', '<x> is there twice.'],
  ['<o><object><name>A</name><data><x encoding="base64">/w==</x></data></object></o>', 'not UTF-8 text in base64'],
  [`<a ${'x'.repeat(20_000)}`, 'A tag has no end.'],
] as const)('refuses %s', async ([text, message]) => {
  await expect(read(text, 5)).rejects.toThrow(message)
})

test('bytes that are no UTF-8 are refused', async () => {
  await expect(listed(readXml([Buffer.from([0x3c, 0xff])]))).rejects.toThrow('not UTF-8')
})

test('a large file without line breaks is read in a time that grows with its length only', async () => {
  const data = '<data><a>1</a><b>xxxxx</b></data>'.repeat(100_000)
  let count = 0
  for await (const _ of readXml(pieces(`<o><object><name>A</name>${data}</object></o>`, 65_536))) count++
  expect(count).toBe(100_000)
})
