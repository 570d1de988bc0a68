import type { Random } from '../../rest-core/src/lib/testing/random.js'

/** What Steward does not keep or find exactly yet. A kind is taken out of `openKinds` when it is cured. */
export type OpenKind =
  /** Fractions of a second. */
  | 'fraction'
  /** Days before the year 1 and after 9999, infinity, times beyond a day. */
  | 'calendar'
  /** Single-precision floats. */
  | 'float'
  /** Doubles and numbers without a size beyond 9 digits before and 6 after the point. */
  | 'double'
  /** Integers of 19 and 20 digits. */
  | 'bigint'

/** A column type with values at its edges. */
export interface EdgeType {
  /** As `create table` takes it. */
  readonly type: string
  /** Distinct within the database: letters, digits and `_`. */
  readonly name: string
  /** SQL literals. The first one is also the default of the column `d`. */
  readonly values: readonly string[]
  /** Values that are left out as long as their kind is open. */
  readonly open?: Readonly<Partial<Record<OpenKind, readonly string[]>>>
  /** One more value at random. */
  readonly random?: (random: Random) => string
  /** Why no field holds it: the column is left out. */
  readonly leftOut?: string
  /** Why a new record cannot have each of the values that are shown. */
  readonly notCopied?: string
  /** Values as the column `c` of a primary key; distinct in any collation. */
  readonly keys?: readonly string[]
  /** Statements that have to be run before, e.g. `create type`. */
  readonly before?: readonly string[]
  /** A column cannot have a default of it. */
  readonly noDefault?: boolean
}

/** Quoted for SQLite and PostgreSQL; MySQL reads `\` in addition. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const quotedForMysql = (text: string): string => quoted(text.replaceAll('\\', '\\\\'))

const longText = 'x'.repeat(20_000)
const texts = [
  '',
  ' ',
  ' a b ',
  'O\'Neil "q" \\ %_',
  'Ä€漢字😀',
  'a\r\nb\tc\n',
  'null',
  '0',
  '[]',
  '{}',
  '[LOGIN]',
  'é',
  'e\u0301',
]
const shortTexts = ['', ' ', 'a', ' a', 'Ä€', "'", '\\']
const keyTexts = [
  '0',
  '_',
  '_key',
  '_search',
  '_batch',
  '_metadata',
  'a/b',
  'a.b',
  '%2F',
  'ä',
  'x y',
  '-1',
  '~',
  '.',
  '..',
  'null',
  '1',
]

/** JSON that loses digits, spaces, order or empty values when it is read carelessly. */
const jsonTexts = [
  '{"a":1}',
  '{}',
  '[]',
  '[[]]',
  '""',
  '0',
  'false',
  '{"creator":750727362669608961}',
  '[12345678901234567890,0.12345678901234567,1e400,-0.0,1.10,1e2]',
  '{"n":123456789012345678901234567890.5,"deep":[{"x":[9007199254740993]}]}',
  '{"a":"750727362669608961","b":"x 9007199254740993 y"}',
  '{"a":"\\u00e4\\n\\"","__proto__":1}',
]

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, (_, at) => (at === 0 ? 1 + random.below(9) : random.below(10))).join('')
const sign = (random: Random): string => (random.oneIn(2) ? '-' : '')
const integer =
  (most: number) =>
  (random: Random): string =>
    `${sign(random)}${digits(random, 1 + random.below(most))}`
const decimal =
  (before: number, after: number) =>
  (random: Random): string =>
    `${sign(random)}${digits(random, 1 + random.below(before))}.${digits(random, 1 + random.below(after))}`
const text =
  (most: number, quote = quoted) =>
  (random: Random): string =>
    quote(Array.from({ length: random.below(most) }, () => random.pick([...'aB0 ,;\\\'"{}[]äß€😀'])).join(''))
const json =
  (quote = quoted) =>
  (random: Random): string => {
    const value = (depth: number): string => {
      const kind = random.below(depth > 2 ? 5 : 7)
      if (kind === 0) return integer(25)(random)
      if (kind === 1) return decimal(12, 20)(random)
      if (kind === 2) return JSON.stringify(random.pick(['', 'a', '12345678901234567890', 'ä"\\']))
      if (kind === 3) return random.pick(['true', 'false', 'null'])
      if (kind === 4) return random.pick(['[]', '{}'])
      const items = Array.from({ length: 1 + random.below(3) }, () => value(depth + 1))
      return kind === 5 ? `[${items.join(',')}]` : `{${items.map((item, at) => `"k${at}":${item}`).join(',')}}`
    }
    return quote(value(0))
  }
const day = (random: Random): string =>
  `${1000 + random.below(9000)}-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`
const hour = (random: Random): string =>
  [24, 60, 60].map((most) => String(random.below(most)).padStart(2, '0')).join(':')

const doubles = [
  '48.858370091234',
  '15000000000.5',
  '1e300',
  '-1e-300',
  '5e-324',
  '1.7976931348623157e308',
  '0.1',
  '123456789012345680000',
]
const singles = ['0.05', '3.14', '18.4', '16777216', '1e38', '-1e-37']
const fractions = ["'2024-02-29 10:00:00.1'", "'2024-02-29 10:00:00.123456'", "'2024-12-31 23:59:59.999999'"]
const uuids = [
  "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
  "'00000000-0000-0000-0000-000000000000'",
  "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
]

const pgEnum = ["create type mood as enum ('sad', 'ok', 'it''s', 'a,b', '')"]

export const postgresqlTypes: readonly EdgeType[] = [
  { name: 'smallint', type: 'smallint', values: ['0', '-32768', '32767'], keys: ['0', '-1', '7'], random: integer(4) },
  {
    name: 'integer',
    type: 'integer',
    values: ['0', '-2147483648', '2147483647'],
    keys: ['0', '-1', '7'],
    random: integer(9),
  },
  {
    name: 'bigint',
    type: 'bigint',
    values: ['0', '999999999999999999', '-9007199254740993', '9007199254740993'],
    open: { bigint: ['9223372036854775807', '-9223372036854775808', '1098765432109876543'] },
    keys: ['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
    random: integer(18),
  },
  {
    name: 'numeric',
    type: 'numeric',
    values: ['0', '0.00', '1.10', '-0.000001', '100'],
    open: { double: ['12.345678901234567', '1e40', '-1e-30', "'NaN'", "'infinity'"] },
    random: decimal(9, 6),
  },
  { name: 'numeric_5_2', type: 'numeric(5,2)', values: ['0', '1.1', '-999.99', '999.99'], random: decimal(3, 2) },
  {
    name: 'numeric_20_0',
    type: 'numeric(20,0)',
    values: ['0', '99999999999999999999', '-1'],
    random: integer(20),
  },
  {
    name: 'numeric_38_12',
    type: 'numeric(38,12)',
    values: ['0', '99999999999999999999999999.999999999999', '-0.000000000001'],
    random: decimal(26, 12),
  },
  { name: 'numeric_3_minus_3', type: 'numeric(3,-3)', values: ['0', '999000', '-1000'], leftOut: 'numeric(3,-3)' },
  { name: 'numeric_2_5', type: 'numeric(2,5)', values: ['0', '0.00099', '-0.00001'] },
  { name: 'real', type: 'real', values: ['0', '1', '-1.5'], open: { float: [...singles, "'NaN'", "'infinity'"] } },
  {
    name: 'double',
    type: 'double precision',
    values: ['0', '1', '-1.5', '123456789.123456'],
    open: { double: [...doubles, "'NaN'", "'-infinity'", "'-0'"] },
    random: decimal(9, 6),
  },
  { name: 'money', type: 'money', values: ["'0'", "'-12.34'", "'92233720368547758.07'"] },
  { name: 'boolean', type: 'boolean', values: ['true', 'false'] },
  { name: 'char_1', type: 'char(1)', values: ["'a'", "''", "' '", "'ä'"] },
  { name: 'char_5', type: 'char(5)', values: ["'abcde'", "''", "'a'", "'  a'"], keys: ["'0'", "'_'", "''", "'a/b'"] },
  {
    name: 'varchar',
    type: 'varchar',
    values: texts.map(quoted),
    keys: ['', ...keyTexts].map(quoted),
    random: text(40),
  },
  { name: 'varchar_5', type: 'varchar(5)', values: shortTexts.map(quoted), random: text(5) },
  {
    name: 'text',
    type: 'text',
    values: [...texts, longText].map(quoted),
    keys: ['', ...keyTexts].map(quoted),
    random: text(60),
  },
  { name: 'text_c', type: 'text collate "C"', values: texts.map(quoted), random: text(20) },
  { name: 'name', type: 'name', values: ["''", "'a'", "'Ä b'"] },
  { name: 'internal_char', type: '"char"', values: ["''", "'a'"] },
  { name: 'bpchar', type: 'bpchar', values: ["'a'", "''", "'a  '"] },
  {
    name: 'bytea',
    notCopied: 'the content of a document is sent, not its id',
    type: 'bytea',
    values: ["'\\x00ff'", "''", "'\\x41'"],
    noDefault: true,
  },
  {
    name: 'date',
    type: 'date',
    values: ["'2024-02-29'", "'0001-01-01'", "'9999-12-31'"],
    open: { calendar: ["'0044-03-15 BC'", "'12024-01-01'", "'infinity'", "'-infinity'"] },
    random: (random) => quoted(day(random)),
  },
  {
    name: 'time',
    type: 'time',
    values: ["'00:00:00'", "'23:59:59'"],
    open: { fraction: ["'10:00:00.1'", "'23:59:59.999999'"], calendar: ["'24:00:00'"] },
    random: (random) => quoted(hour(random)),
  },
  { name: 'time_3', type: 'time(3)', values: ["'00:00:00'", "'23:59:59'"], open: { fraction: ["'10:00:00.125'"] } },
  { name: 'timetz', type: 'timetz', values: ["'10:00:00+02'", "'23:59:59.999999-11:30'", "'24:00:00+00'"] },
  {
    name: 'timestamp',
    type: 'timestamp',
    values: ["'2024-02-29 10:00:00'", "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59'"],
    open: {
      fraction: fractions,
      calendar: ["'0044-03-15 12:00:00 BC'", "'12024-01-01 10:00:00'", "'infinity'", "'-infinity'"],
    },
    random: (random) => quoted(`${day(random)} ${hour(random)}`),
  },
  {
    name: 'timestamp_0',
    type: 'timestamp(0)',
    values: ["'2024-02-29 10:00:00'"],
    random: (random) => quoted(`${day(random)} ${hour(random)}`),
  },
  {
    name: 'timestamptz',
    type: 'timestamptz',
    values: ["'2024-02-29 10:00:00Z'", "'9999-12-31 23:59:59Z'"],
    open: {
      fraction: fractions,
      calendar: ["'0044-03-15 12:00:00Z BC'", "'12024-01-01 10:00:00Z'", "'infinity'", "'-infinity'"],
    },
    random: (random) => quoted(`${day(random)} ${hour(random)}Z`),
  },
  {
    name: 'interval',
    type: 'interval',
    values: ["'1 day'", "'0'", "'-1 year 2 mons 3 days 04:05:06.789'", "'999999 hours'"],
  },
  { name: 'uuid', type: 'uuid', values: uuids, keys: uuids },
  {
    name: 'json',
    notCopied: 'a required value that is empty, and numbers that only JSON can write',
    type: 'json',
    values: [...jsonTexts, '{ "b" : 1,\n "a":2, "b":3 }', 'null'].map(quoted),
    random: json(),
  },
  {
    name: 'jsonb',
    notCopied: 'a required value that is empty',
    type: 'jsonb',
    values: [...jsonTexts.filter((each) => !each.includes('1e400')), '[1e40,-0.0,1.10]', 'null'].map(quoted),
    random: json(),
  },
  { name: 'xml', type: 'xml', values: ["'<a/>'"], leftOut: 'xml' },
  { name: 'inet', type: 'inet', values: ["'192.168.1.5/24'", "'::1'", "'10.0.0.1'"] },
  { name: 'cidr', type: 'cidr', values: ["'192.168.0.0/16'", "'::/0'"] },
  { name: 'macaddr', type: 'macaddr', values: ["'08:00:2b:01:02:03'"] },
  { name: 'macaddr8', type: 'macaddr8', values: ["'08:00:2b:01:02:03:04:05'"] },
  { name: 'bit_1', type: 'bit(1)', values: ["B'0'", "B'1'"] },
  { name: 'bit_5', type: 'bit(5)', values: ["B'00000'", "B'10101'"] },
  { name: 'varbit', type: 'bit varying', values: ["B''", "B'10101'", "B'0'"] },
  { name: 'oid', type: 'oid', values: ['0', '4294967295'] },
  { name: 'int4range', type: 'int4range', values: ["'[1,5)'", "'empty'", "'(,)'"] },
  { name: 'int8range', type: 'int8range', values: ["'[1,9007199254740993)'"] },
  { name: 'numrange', type: 'numrange', values: ["'[1.10,2.5]'", "'empty'"] },
  { name: 'daterange', type: 'daterange', values: ["'[2024-01-01,infinity)'"] },
  { name: 'tsrange', type: 'tsrange', values: ["'[2024-01-01 10:00:00.5,)'"] },
  { name: 'tstzrange', type: 'tstzrange', values: ["'[2024-01-01 10:00:00.5Z,)'"] },
  {
    name: 'enumeration',
    notCopied: 'a required value that is empty',
    type: 'mood',
    before: pgEnum,
    values: ["'ok'", "'it''s'", "'a,b'", "''"],
  },
  {
    name: 'domain_text',
    type: 'label',
    before: ["create domain label as text check (value <> 'bad')"],
    values: ["'a'", "''"],
  },
  {
    name: 'domain_int',
    type: 'positive',
    before: ['create domain positive as int check (value >= 0)'],
    values: ['0', '5'],
  },
  {
    name: 'domain_numeric',
    type: 'price',
    before: ['create domain price as numeric(10,4)'],
    values: ['0', '1.5', '999999.9999'],
  },
  {
    name: 'text_array',
    type: 'text[]',
    values: [
      "'{}'",
      "array['a','','b c','\"q\"','\\x','NULL',null,'{x}','ä,b']",
      "array[array['a','b'],array['c','d']]",
      "'[0:1]={a,b}'",
    ],
  },
  { name: 'varchar_array', type: 'varchar(10)[]', values: ["'{}'", "'{a,b}'"] },
  {
    name: 'integer_array',
    type: 'integer[]',
    values: ["'{}'", "'{1,2,NULL,-2147483648}'", "'{{1,2},{3,4}}'", "'[-1:1]={1,2,3}'"],
  },
  {
    name: 'bigint_array',
    type: 'bigint[]',
    values: ["'{}'", "'{750727362669608961,1}'", "'{9223372036854775807,-9223372036854775808}'"],
  },
  {
    name: 'numeric_array',
    type: 'numeric[]',
    values: ["'{}'", "'{12345678901234567890,0.12345678901234567890,1.10,0.00}'", "'{NaN}'"],
  },
  { name: 'double_array', type: 'double precision[]', values: ["'{}'", "'{0.1,1e300,1e-300,NaN,Infinity,-0}'"] },
  { name: 'real_array', type: 'real[]', values: ["'{}'", "'{0.1,16777216,3.14}'"] },
  { name: 'boolean_array', type: 'boolean[]', values: ["'{}'", "'{t,f,NULL}'"] },
  { name: 'date_array', type: 'date[]', values: ["'{}'", "'{2024-02-29,infinity}'"] },
  {
    name: 'timestamp_array',
    type: 'timestamp[]',
    values: ["'{}'", "array['2024-02-29 10:00:00.123456'::timestamp,'infinity']"],
  },
  {
    name: 'timestamptz_array',
    type: 'timestamptz[]',
    values: ["'{}'", "array['2024-02-29 10:00:00.123456Z'::timestamptz]"],
  },
  { name: 'uuid_array', type: 'uuid[]', values: ["'{}'", `array[${uuids[0]}::uuid]`] },
  {
    name: 'jsonb_array',
    notCopied: 'lists are dimensions of the array',
    type: 'jsonb[]',
    values: ["'{}'", `array['{"a":750727362669608961}','[]','"x"','null','1.10']::jsonb[]`],
  },
  { name: 'bytea_array', type: 'bytea[]', values: ["'{}'", "array['\\x00ff'::bytea]"] },
  { name: 'interval_array', type: 'interval[]', values: ["'{}'", "array['1 day 02:03:04.5'::interval]"] },
  { name: 'enumeration_array', type: 'mood[]', before: pgEnum, values: ["'{}'", '\'{ok,"a,b"}\''] },
  {
    name: 'composite_array',
    notCopied: 'no text of a composite value is known',
    type: 'pair[]',
    before: ['create type pair as (a int, b text)'],
    values: ["'{}'", "array[row(1,'x')::pair]"],
  },
  {
    name: 'composite',
    type: 'pair',
    before: ['create type pair as (a int, b text)'],
    values: ["'(1,x)'"],
    leftOut: 'pair',
  },
  { name: 'tsvector', type: 'tsvector', values: ["'a b'"], leftOut: 'tsvector' },
  { name: 'point', type: 'point', values: ["'(1,2)'"], leftOut: 'point' },
]

const mysqlJson = jsonTexts.filter((each) => !each.includes('1e400'))
const mysqlTexts = texts.map(quotedForMysql)

export const mysqlTypes: readonly EdgeType[] = [
  { name: 'tinyint', type: 'tinyint', values: ['0', '-128', '127'], keys: ['0', '-1', '7'], random: integer(2) },
  { name: 'tinyint_1', type: 'tinyint(1)', values: ['3', '0', '1', '-1', '127', '-128'] },
  { name: 'tinyint_1_boolean', type: 'tinyint(1)', values: ['0', '1'] },
  { name: 'tinyint_1_minus', type: 'tinyint(1)', values: ['0', '1', '-1'] },
  { name: 'tinyint_unsigned', type: 'tinyint unsigned', values: ['0', '255'] },
  { name: 'tinyint_1_unsigned', type: 'tinyint(1) unsigned', values: ['0', '255', '2'] },
  { name: 'smallint', type: 'smallint', values: ['0', '-32768', '32767'], random: integer(4) },
  { name: 'smallint_unsigned', type: 'smallint unsigned', values: ['0', '65535'] },
  { name: 'mediumint', type: 'mediumint', values: ['0', '-8388608', '8388607'] },
  { name: 'mediumint_unsigned', type: 'mediumint unsigned', values: ['0', '16777215'] },
  { name: 'int', type: 'int', values: ['0', '-2147483648', '2147483647'], keys: ['0', '-1', '7'], random: integer(9) },
  { name: 'int_unsigned', type: 'int unsigned', values: ['0', '4294967295'], keys: ['0', '4294967295'] },
  { name: 'int_zerofill', type: 'int(5) zerofill', values: ['0', '42'] },
  {
    name: 'bigint',
    type: 'bigint',
    values: ['0', '999999999999999999', '-9007199254740993', '9007199254740993'],
    open: { bigint: ['9223372036854775807', '-9223372036854775808', '1098765432109876543'] },
    keys: ['0', '-1', '9007199254740993', '9223372036854775807'],
    random: integer(18),
  },
  {
    name: 'bigint_unsigned',
    type: 'bigint unsigned',
    values: ['0', '9007199254740993'],
    open: { bigint: ['9223372036854775808', '18446744073709551615'] },
  },
  { name: 'decimal_5_2', type: 'decimal(5,2)', values: ['0', '1.1', '-999.99', '999.99'], random: decimal(3, 2) },
  {
    name: 'decimal_20_0',
    type: 'decimal(20,0)',
    values: ['0', '99999999999999999999'],
    random: integer(20),
  },
  {
    name: 'decimal_38_12',
    type: 'decimal(38,12)',
    values: ['0', '99999999999999999999999999.999999999999'],
    random: decimal(26, 12),
  },
  {
    name: 'decimal_65_30',
    type: 'decimal(65,30)',
    values: ['0', '1.1'],
    open: { double: ['12345678901234567890123456789012345.123456789012345678901234567891'] },
  },
  { name: 'float', type: 'float', values: ['0', '1', '-1.5'], open: { float: singles } },
  { name: 'float_7_4', type: 'float(7,4)', values: ['0', '1.5'], open: { float: ['1.1', '3.1416'] } },
  {
    name: 'double',
    type: 'double',
    values: ['0', '1', '-1.5', '123456789.123456'],
    open: { double: doubles },
    random: decimal(9, 6),
  },
  { name: 'double_10_2', type: 'double(10,2)', values: ['0', '1.5', '12345678.25'] },
  { name: 'bit_1', type: 'bit(1)', values: ["b'0'", "b'1'"] },
  { name: 'bit_8', type: 'bit(8)', values: ["b'10101010'"], leftOut: 'bit(8)' },
  { name: 'char_1', type: 'char(1)', values: ["'a'", "''"] },
  { name: 'char_5', type: 'char(5)', values: ["'abcde'", "''", "'a'", "'  a'"] },
  { name: 'varchar_5', type: 'varchar(5)', values: shortTexts.map(quotedForMysql), random: text(5, quotedForMysql) },
  {
    name: 'varchar_200',
    type: 'varchar(200)',
    values: mysqlTexts,
    keys: ['', ...keyTexts].map(quotedForMysql),
    random: text(40, quotedForMysql),
  },
  {
    name: 'varchar_bin',
    type: 'varchar(200) collate utf8mb4_bin',
    values: mysqlTexts,
    random: text(40, quotedForMysql),
  },
  { name: 'varchar_latin1', type: 'varchar(200) character set latin1', values: ["'é'", "''", "' a '"] },
  { name: 'tinytext', type: 'tinytext', values: mysqlTexts, random: text(40, quotedForMysql) },
  {
    name: 'text',
    notCopied: 'more characters than the smallest column of the type holds',
    type: 'text',
    values: [...mysqlTexts, quoted(longText)],
    random: text(60, quotedForMysql),
  },
  { name: 'mediumtext', type: 'mediumtext', values: mysqlTexts },
  { name: 'longtext', type: 'longtext', values: mysqlTexts },
  {
    name: 'binary_16',
    notCopied: 'the content of a document is sent, not its id',
    type: 'binary(16)',
    values: ["unhex('00112233445566778899aabbccddeeff')"],
    noDefault: true,
  },
  {
    name: 'varbinary',
    notCopied: 'the content of a document is sent, not its id',
    type: 'varbinary(20)',
    values: ["unhex('00ff')", "''"],
    noDefault: true,
  },
  {
    name: 'blob',
    notCopied: 'the content of a document is sent, not its id',
    type: 'blob',
    values: ["unhex('00ff')", "''"],
    noDefault: true,
  },
  {
    name: 'longblob',
    notCopied: 'the content of a document is sent, not its id',
    type: 'longblob',
    values: ["unhex('00ff')"],
    noDefault: true,
  },
  {
    name: 'date',
    notCopied: 'a day that is none',
    type: 'date',
    values: ["'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "'0000-00-00'"],
    open: { calendar: ["'2024-00-00'"] },
    random: (random) => quoted(day(random)),
  },
  {
    name: 'time',
    type: 'time',
    values: ["'00:00:00'", "'23:59:59'"],
    open: { calendar: ["'100:00:00'", "'-01:30:00'", "'838:59:59'"] },
    random: (random) => quoted(hour(random)),
  },
  { name: 'time_6', type: 'time(6)', values: ["'00:00:00'"], open: { fraction: ["'10:00:00.123456'"] } },
  {
    name: 'datetime',
    notCopied: 'a day that is none',
    type: 'datetime',
    values: ["'2024-02-29 10:00:00'", "'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'0000-00-00 00:00:00'"],
    random: (random) => quoted(`${day(random)} ${hour(random)}`),
  },
  { name: 'datetime_6', type: 'datetime(6)', values: ["'2024-02-29 10:00:00'"], open: { fraction: fractions } },
  { name: 'timestamp', type: 'timestamp', values: ["'2024-02-29 10:00:00'", "'1970-01-02 00:00:01'"] },
  {
    name: 'timestamp_3',
    type: 'timestamp(3)',
    values: ["'2024-02-29 10:00:00'"],
    open: { fraction: ["'2024-02-29 10:00:00.125'"] },
  },
  { name: 'year', notCopied: '0 is no year', type: 'year', values: ['0', '1901', '2155'] },
  { name: 'enumeration', type: "enum('a','it''s','b,c','B','')", values: ["'a'", "'it''s'", "'b,c'", "''"] },
  {
    name: 'enumeration_invalid',
    notCopied: 'a value that the list lacks',
    type: "enum('a','b')",
    values: ["'a'", "'b'", "''"],
  },
  { name: 'set', type: "set('a','b','c d')", values: ["'a'", "''", "'a,c d'"] },
  {
    name: 'json',
    notCopied: 'a required value that is empty, and numbers that only JSON can write',
    type: 'json',
    values: mysqlJson.map(quotedForMysql),
    random: json(quotedForMysql),
  },
  { name: 'uuid', type: 'uuid', values: uuids },
  { name: 'inet6', type: 'inet6', values: ["'::1'"], leftOut: 'inet6' },
  {
    name: 'geometry',
    type: 'geometry',
    values: ["st_geomfromtext('POINT(1 2)')"],
    leftOut: 'geometry',
    noDefault: true,
  },
]

const sqliteTexts = texts.map(quoted)
const sqliteNumbers = ['0', '1', '-1', '9007199254740993', '999999999999999999']
const sqliteWide = ['9223372036854775807', '-9223372036854775808']

/** Declared types of all five affinities and the names that Steward takes for more; each holds values of other classes, too. */
export const sqliteTypes: readonly EdgeType[] = [
  {
    name: 'integer',
    type: 'integer',
    values: sqliteNumbers,
    open: { bigint: sqliteWide },
    keys: ['0', '-1', '7', '9007199254740993'],
    random: integer(17),
  },
  { name: 'integer_real', type: 'integer', values: ['0', '1.5', '-2'] },
  { name: 'integer_text', type: 'integer', values: ['0', "'abc'", "''"] },
  { name: 'bigint', type: 'bigint', values: sqliteNumbers, open: { bigint: sqliteWide } },
  { name: 'boolean', type: 'boolean', values: ['0', '1'] },
  { name: 'boolean_minus', type: 'boolean', values: ['0', '1', '-1'] },
  { name: 'boolean_access', type: 'boolean', values: ['0', '-1', '1', '2'] },
  { name: 'boolean_text', type: 'boolean', values: ["'t'", "'f'", "'true'", "''"] },
  { name: 'tinyint_1', type: 'tinyint(1)', values: ['0', '3', '-1'] },
  {
    name: 'text',
    type: 'text',
    values: [...sqliteTexts, quoted(longText)],
    keys: ['', ...keyTexts].map(quoted),
    random: text(60),
  },
  { name: 'text_number', type: 'text', values: ["'1'", "'01'", "'1.0'", "'9007199254740993'"] },
  {
    name: 'varchar_5',
    notCopied: 'longer than declared',
    type: 'varchar(5)',
    values: [...shortTexts, 'longer than five'].map(quoted),
    random: text(8),
  },
  {
    name: 'text_blob',
    notCopied: 'the content of a document is sent, not its id',
    type: 'text',
    values: ["'a'", "x'00ff'", "x''"],
    noDefault: true,
  },
  { name: 'clob', type: 'clob', values: sqliteTexts },
  { name: 'text_nocase', type: 'text collate nocase', values: sqliteTexts },
  {
    name: 'blob',
    notCopied: 'the content of a document is sent, not its id',
    type: 'blob',
    values: ["x'00ff'", "x''"],
    noDefault: true,
  },
  {
    name: 'real',
    type: 'real',
    values: ['0', '1', '-1.5', '123456789.123456'],
    open: { double: doubles },
    random: decimal(9, 6),
  },
  { name: 'double', type: 'double', values: ['0', '1.5'], open: { double: doubles } },
  { name: 'float', type: 'float', values: ['0', '1.5'], open: { double: doubles } },
  {
    name: 'numeric',
    type: 'numeric',
    values: ['0', '1.5', '-1', '123456789.123456'],
    open: { double: ['1700000000000', '12.3456789012345'] },
    random: decimal(9, 6),
  },
  { name: 'numeric_text', type: 'numeric', values: ["'abc'", '1', "''"] },
  { name: 'decimal_10_2', type: 'decimal(10,2)', values: ['0', '1.1', '99999999.99', '-0.01'], random: decimal(8, 2) },
  { name: 'money', type: 'money', values: ['0', '1.1'] },
  {
    name: 'date',
    type: 'date',
    values: ["'2024-02-29'", "'0001-01-01'", "'9999-12-31'"],
    random: (random) => quoted(day(random)),
  },
  { name: 'date_seconds', type: 'date', values: ['0', '1700000000'] },
  { name: 'date_text', type: 'date', values: ["'29.2.2024'", "''"] },
  { name: 'datetime', type: 'datetime', values: ["'2024-02-29 10:00:00'", "'9999-12-31 23:59:59'"] },
  { name: 'datetime_iso', type: 'datetime', values: ["'2024-02-29T10:00:00.123Z'", "'2024-02-29 10:00:00'"] },
  { name: 'timestamp', type: 'timestamp', values: ['1700000000', '0'] },
  { name: 'time', type: 'time', values: ["'10:00:00'"], random: (random) => quoted(hour(random)) },
  { name: 'time_short', type: 'time', values: ["'10:00'", "'100:00:00'"] },
  {
    name: 'json',
    notCopied: 'a required value that is empty, and numbers that only JSON can write',
    type: 'json',
    values: [...jsonTexts, '{ "b" : 1,\n "a":2 }', 'not json', 'null'].map(quoted),
    random: json(),
  },
  { name: 'uuid', type: 'uuid', values: uuids },
  { name: 'none', type: '', values: ["'a'", "''"], random: text(10) },
  { name: 'none_mixed', type: '', values: ['1', "'1'", '1.5', "'a'"] },
  { name: 'any_other', type: 'string', values: ["'abc'", '1', '2.5'] },
  { name: 'enumeration', type: 'text check (0 = 0)', values: ["'a'", "''"] },
]
