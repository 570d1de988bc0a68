import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { fieldTypes, nameOf } from './application.ts'

export interface StallCase {
  readonly name: string
  readonly method?: string
  readonly path: string
  /** JSON unless a type is given. */
  readonly body?: () => string | Uint8Array<ArrayBuffer> | FormData
  readonly type?: string
  /** As the service user of `/io`. */
  readonly io?: boolean
  /** The client goes away after that many ms. */
  readonly leavesAfterMs?: number
}

/** Just below the default limit of bodies. */
const size = 10 * 2 ** 20 - 1_000

const fill = (text: string, bytes = size): string => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))
const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(',')

/** The values that cost each type most. */
const values: Readonly<Record<string, readonly (readonly [name: string, value: () => unknown])[]>> = {
  text: [
    ['U+FDFA', () => fill('\uFDFA')],
    ['Han', () => fill('漢')],
    ['blanks', () => fill(' ')],
    ['surrogate', () => `${fill('a')}\uD800`],
  ],
  html: [
    ['U+FDFA', () => fill('\uFDFA')],
    ['<', () => fill('<')],
    ['<!--', () => fill('<!--')],
    ['<script', () => fill('<script ')],
    ['</script', () => `<script>${fill('</script ')}`],
    ['entities', () => fill('&amp;')],
    ['<a', () => fill('<a ')],
  ],
  url: [
    ['long', () => `https://a/${fill('a')}`],
    ['blanks', () => fill(' ')],
    ['dots', () => `https://${fill('a.')}`],
  ],
  email: [
    ['a.', () => fill('a.')],
    ['@', () => fill('@a')],
    ['a@', () => `a@${fill('a.')}`],
  ],
  phone: [['digits', () => fill('1 ')]],
  color: [['#', () => `#${fill('f')}`]],
  regexp: [
    ['brackets', () => fill('(')],
    ['groups', () => fill('(a)')],
    ['classes', () => fill('[a-z]')],
    ['nested', () => `${fill('(?:', size / 2)}${fill(')', size / 2)}`],
  ],
  integer: [
    ['digits', () => fill('9')],
    ['zeros', () => `1e${fill('0')}`],
  ],
  decimal: [
    ['digits', () => `${fill('9', size / 2)}.${fill('9', size / 2)}`],
    ['zeros', () => fill('0')],
    ['exponent', () => '1e9999999'],
  ],
  date: [['blanks', () => `${fill(' ')}x`]],
  datetime: [['fraction', () => `2026-01-01T00:00:00.${fill('9')}`]],
  time: [['digits', () => `10:10:10.${fill('1')}`]],
  geocoords: [
    ['digits', () => `1.${fill('1')}`],
    ['semicolons', () => fill('1;')],
    ['blanks', () => `1${fill(' ')}x`],
  ],
  enum: [['long', () => fill('a')]],
  'multi-enum': [
    ['codes', () => fill('a;')],
    ['unknown', () => Array.from({ length: 1_000_000 }, (_, at) => `x${at}`)],
    ['list', () => Array.from({ length: 2_000_000 }, () => 'a')],
  ],
  password: [
    ['long', () => fill('a')],
    ['U+FDFA', () => fill('\uFDFA')],
  ],
  object: [
    ['wide', () => Object.fromEntries(Array.from({ length: 700_000 }, (_, at) => [`k${at}`, 1]))],
    ['list', () => Array.from({ length: 4_000_000 }, () => 1)],
    ['deep', () => Array.from({ length: 100_000 }, () => JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown)],
    ['text', () => fill('"')],
  ],
  document: [
    ['base64', () => ({ name: 'a.bin', content: fill('QUJD') })],
    ['blanks', () => ({ name: 'a.bin', content: `${fill(' ')}!` })],
    ['name', () => ({ name: fill('a'), content: 'QUJD' })],
  ],
  image: [
    ['base64', () => ({ name: 'a.png', content: fill('QUJD') })],
    [
      'svg',
      () => ({
        name: 'a.svg',
        content: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${fill('<g>', 6_000_000)}`).toString('base64'),
      }),
    ],
  ],
}

const one = '/Everything/1'
const put = (name: string, body: () => string): StallCase => ({ name, method: 'PUT', path: one, body })
const post = (name: string, path: string, body: () => string, type?: string): StallCase => ({
  name,
  method: 'POST',
  path,
  body,
  ...(type !== undefined && { type }),
})
const like = `%25${'a'.repeat(490)}b%25${'a'.repeat(490)}b`

function form(fields: Readonly<Record<string, string | Blob>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

const imported = (
  name: string,
  service: string,
  content: () => string | Uint8Array<ArrayBuffer>,
  more: Record<string, string> = {},
): StallCase => ({
  name: `/io ${service}: ${name}`,
  method: 'POST',
  path: '/io',
  io: true,
  body: () => form({ service, ...more, file: new File([content()], 'file') }),
})
const ofSmall = { object: 'Small' }
const digest = createHash('sha256').update('a').digest('hex')

export const cases: readonly StallCase[] = [
  { name: 'nothing: application info', path: '/' },
  ...fieldTypes.flatMap((type) =>
    (values[type] ?? [['long', () => fill('a')] as const]).map(([name, value]) =>
      put(`${type}: ${name}`, () => JSON.stringify({ [nameOf(type)]: value() })),
    ),
  ),
  put('reference: long', () => JSON.stringify({ e_parent: fill('9') })),
  put('text with a pattern', () => JSON.stringify({ e_pattern: fill('a') })),
  // Bodies
  put('body: unknown names', () => `{${list(500_000, (at) => `"unknown${at}":1`)}}`),
  put('body: one name again and again', () => `{${list(1_000_000, () => '"e_key":1')}}`),
  put('body: deep', () => fill('[')),
  put('body: list of numbers', () => `[${list(4_000_000, () => '1')},1e400]`),
  put('body: long numbers', () => `{"e_object":[${list(500_000, () => '12345678901234567890')}]}`),
  put('body: broken at its end', () => `[${list(4_000_000, () => '1')}`),
  put('body: broken after line breaks', () => `{${fill('\n')}x`),
  put('body: quotes and backslashes', () => `{"e_text":"${fill('\\\\')}"}`),
  // Endpoints
  post(
    'create, many members of technical names',
    '/Small/',
    () => `{${list(500_000, () => '"created_by":"a"')},"s_key":"x"}`,
  ),
  post('upsert by key', '/Small/?_upsert=true', () => JSON.stringify({ s_key: fill('k') })),
  post('dry run', '/Everything/?_dryrun=true', () => JSON.stringify({ e_key: 'dry', e_text: fill('\uFDFA') })),
  post(
    'batch: 10,000 creates',
    '/Small/_batch',
    () => `[${list(10_000, (at) => `{"action":"create","values":{"s_key":"b${at}"}}`)}]`,
  ),
  post(
    'batch: not atomic',
    '/Small/_batch?_atomic=false',
    () => `[${list(10_000, (at) => `{"action":"create","values":{"s_key":"c${at}"}}`)}]`,
  ),
  post('batch: too many', '/Small/_batch', () => `[${list(4_000_000, () => '{}')}]`),
  post('batch: unknown members', '/Small/_batch', () => `[{"action":"create",${list(600_000, (at) => `"u${at}":1`)}}]`),
  post(
    'batch: unknown names',
    '/Small/_batch?_atomic=false',
    () => `[${list(100, () => `{"action":"create","values":{${list(8_000, (at) => `"u${at}":1`)}}}`)}]`,
  ),
  post('action: unknown parameters', '/Small/action:echo', () => `{${list(500_000, (at) => `"unknown${at}":1`)}}`),
  post('action: form of many names', '/Small/action:echo', () => fill('a=&'), 'application/x-www-form-urlencoded'),
  post(
    'action: form of one name',
    '/Small/action:echo',
    () => `text=${fill('+')}`,
    'application/x-www-form-urlencoded',
  ),
  post('action: data', '/Small/action:echo', () => `{"data":[${list(4_000_000, () => '1')}]}`),
  {
    name: 'log in: long password',
    method: 'POST',
    path: '/api/login',
    body: () => JSON.stringify({ login: 'admin', password: fill('\uFDFA') }),
  },
  // Reading, after what was written
  put('(text for what follows)', () => JSON.stringify({ e_text: fill('a', 9_000_000), e_html: fill('b', 1_000_000) })),
  { name: 'get', path: one },
  { name: 'page', path: '/Everything/?_page=0' },
  { name: 'page: pattern', path: `/Everything/?_page=0&e_text=${like}`, leavesAfterMs: 1_000 },
  { name: 'all rows: pattern', path: `/Everything/?e_text=${like}`, leavesAfterMs: 1_000 },
  { name: 'count: pattern', path: `/Everything/?_count=true&e_text=${like}`, leavesAfterMs: 1_000 },
  { name: 'filter: long list', path: `/Small/?_page=0&s_number=in+(${list(2_000, (at) => `${at}`)})` },
  { name: 'filter: many terms', path: `/Small/?_page=0&${Array.from({ length: 900 }, () => 's_key=a*b').join('&')}` },
  {
    name: 'fields and order',
    path: `/Small/?_page=0&_fields=${list(1_500, () => 's_key')}&_order=${list(1_000, () => 's_key')}`,
  },
  { name: 'unknown parameters', path: `/Small/?${Array.from({ length: 900 }, (_, at) => `x${at}=1`).join('&')}` },
  {
    name: 'index search',
    path: `/Everything/?_indexsearch=${Array.from({ length: 50 }, (_, at) => `a${at}*`).join('+')}`,
  },
  { name: 'pivot table', path: '/Everything/?_crosstab=byKey' },
  { name: 'audit', path: '/AuditEntry/?_page=0' },
  { name: 'all small rows', path: '/Small/' },
  { name: 'inline documents', path: `${one}?_inline_documents=true` },
  { name: 'thumbnails', path: '/Everything/?_page=0&_inline_thumbnails=true' },
  { name: 'publication: csv', path: '/Everything/?_printtemplate=csv' },
  { name: 'publication: html', path: '/Everything/?_printtemplate=page' },
  put('(smaller again)', () => JSON.stringify({ e_text: 'a', e_html: 'b' })),
  post(
    '(1,000 rows)',
    '/Everything/_batch',
    () =>
      `[${list(999, (at) => `{"action":"create","values":{"e_key":"p${at}","e_string":"${'word '.repeat(40)}"}}`)}]`,
  ),
  { name: 'publication: pdf of 1,000 rows', path: '/Everything/?_printtemplate=pdf' },
  { name: 'publication: xlsx of 1,000 rows', path: '/Everything/?_printtemplate=xlsx' },
  { name: 'documentation', path: '/?_doc=openapi' },
  // Files
  imported('columns', 'csvimport', () => `${fill('a;')}b\n`, ofSmall),
  imported('different columns', 'csvimport', () => `${list(1_200_000, (at) => `c${at}`)}\n`, ofSmall),
  imported('values', 'csvimport', () => `s_key,s_number\n${fill('1,')}1\n`, ofSmall),
  imported(
    'rows',
    'csvimport',
    () => `s_key,s_number\n${Array.from({ length: 100_000 }, (_, at) => `r${at},1`).join('\n')}`,
    ofSmall,
  ),
  imported('quotes', 'csvimport', () => `"${fill('""')}`, ofSmall),
  imported('rows', 'jsonimport', () => `[{"name":"Small","data":[${list(100_000, (at) => `{"s_key":"j${at}"}`)}]}]`),
  imported('names', 'jsonimport', () => `[{"name":"Small","data":{${list(600_000, (at) => `"u${at}":1`)}}}]`),
  imported('paths', 'jsonimport', () => `[{"name":"Everything","data":{"e_parent.${fill('a.')}":1}}]`),
  imported('deep', 'jsonimport', () => fill('[')),
  imported('blocks', 'jsonimport', () => `[${list(1_000_000, () => '{}')}]`),
  imported('60 MB', 'jsonimport', () => `[{"name":"Small","data":[{"s_key":"x"}]},${list(15_000_000, () => '1')}1]`),
  imported(
    'names',
    'xmlimport',
    () =>
      `<objects><object><name>Small</name><data>${Array.from({ length: 400_000 }, (_, at) => `<u${at}>1</u${at}>`).join('')}</data></object></objects>`,
  ),
  imported('deep', 'xmlimport', () => fill('<a>')),
  imported('entities', 'xmlimport', () => `<objects><object><name>${fill('&amp;')}</name></object></objects>`),
  imported('attributes', 'xmlimport', () => `<objects ${fill('a="b" ')}>`),
  imported('comment', 'xmlimport', () => `<!--${fill('-')}`),
  imported('65,000 entries', 'zipimport', () => zipOf(65_000)),
  { name: `an unknown document: ${digest.slice(0, 8)}`, path: `${one}/e_document` },
]

/** A ZIP of empty entries. */
function zipOf(count: number): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  const content = deflateRawSync('')
  let offset = 0
  for (let at = 0; at < count; at++) {
    const name = Buffer.from(`d/${at}`)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(content.length, 18)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(20, 4)
    entry.writeUInt16LE(20, 6)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(content.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    directory.push(entry, name)
    parts.push(local, name, content)
    offset += 30 + name.length + content.length
  }
  const table = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(table.length, 12)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...parts, table, end]))
}
