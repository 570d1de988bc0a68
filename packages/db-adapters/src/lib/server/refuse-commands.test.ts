import { expect, it } from 'vitest'
import { refuseCommands } from './refuse-commands.js'

/** What comes out, whole and in pieces of some bytes. */
async function filter(type: string, text: string): Promise<string> {
  const whole = await through(type, text, Infinity)
  for (const size of [1, 2, 7]) {
    const inPieces = await through(type, text, size)
    if (inPieces !== whole) throw new Error(`In pieces of ${size} bytes it is ${inPieces}, not ${whole}.`)
  }
  return whole
}

async function through(type: string, text: string, size: number): Promise<string> {
  const bytes = Buffer.from(text)
  async function* source() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const chunks: Buffer[] = []
  try {
    for await (const chunk of refuseCommands(type)?.(source()) ?? source()) chunks.push(chunk)
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return `${code} ${/in line \d+/.exec(message)?.[0]}`
  }
  return Buffer.concat(chunks).toString()
}

it.each([
  ['the first line', '\\! id\nselect 1;\n', 1],
  ['the last line, without its end', 'select 1;\n\\! id', 2],
  ['a line among others', 'begin;\n select 1;\n\\copy t from /etc/shadow\n', 3],
  ['the middle of a line', 'select 1 \\g |id\n', 1],
  ['after a text', "select 'it''s \\! one' \\! id\n", 1],
  ['after a text that escapes', "select E'it\\'s \\\\' \\! id\n", 1],
  ['after a text with a backslash that does not escape', "select '\\' \\! id\n", 1],
  ['after a text that continues', "select E'a'\n '\\'' \\! id\n", 2],
  ['after a quoted name', 'select "a\\"\\! id\n', 1],
  ['after a body', 'do $a$ \\! $ab$ $b$a$\\! id\n', 1],
  ['after a parameter', 'select $1 \\! id\n', 1],
  ['after a name with a dollar', 'select a$b$ \\! id $b$\n', 1],
  ['after a comment', '/* a /* b */ \\! */ \\! id\n', 1],
  ['after a comment of a line', '-- \\! x\n\\! id\n', 2],
  ['after rows', 'COPY public.t (a, "from") FROM stdin;\n\\! id\n\\.\n\\! id\n', 4],
  ['after rows with an option', "copy t from stdin with (null '\\');\n\\! id\n\\.\n\\! id\n", 4],
  ['in place of rows', 'copy t to stdout;\n\\! id\n', 2],
  ['in a statement that only looks like COPY', '(select 1; copy t from stdin;\n\\! id\n', 2],
  [
    'in a body that only looks like COPY',
    'create or replace function f() returns int begin atomic; copy t from stdin;\n\\! id\n',
    2,
  ],
  ['another command that looks like that of pg_dump', '\\restrict a b\n', 1],
  ['a command of pg_dump within a line', 'select 1; \\unrestrict abc\n', 1],
  ['something between COPY and its rows', 'copy t from stdin; select 1;\n', 1],
])('refuseCommands() of PostgreSQL refuses a command in %s', async (_where, text, line) => {
  expect(await filter('postgresql', text)).toBe(`ERR_DUMP in line ${line}`)
})

it('refuseCommands() of PostgreSQL lets statements and rows pass, and leaves out what pg_dump writes for psql', async () => {
  const dump = [
    "SELECT pg_catalog.set_config('search_path', '', false);",
    "COMMENT ON TABLE t IS 'a",
    "\\! id';",
    'CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $_$ begin',
    '\\! id',
    "return E'\\\\'; end $_$;",
    'CREATE FUNCTION g() RETURNS int BEGIN ATOMIC SELECT case when 1 = 1 then 2 end; SELECT (1 - 2) / 3; END;',
    'CREATE TABLE "a\\b" (c text DEFAULT \'\\\');',
    'COPY public."a\\b" (c) FROM stdin;',
    '\\! id',
    '\\N',
    '\\..',
    '\\.',
    '',
    '-- \\! PostgreSQL database dump complete',
    '',
  ].join('\n')
  expect(await filter('postgresql', dump)).toBe(dump)
  expect(await filter('postgresql', `\\restrict aB3\n\n${dump}\\unrestrict aB3\n\n`)).toBe(`\n\n${dump}\n\n`)
})

it.each([
  ['the first line', "load data local infile '/etc/shadow' into table loot;\n", 1],
  ['a statement after others', "insert into t values ('a\\';');\n/* x */ Load\n XML infile 'x' into table t;\n", 3],
  ['a comment that is run', "/*!50003 LOAD DATA LOCAL INFILE 'x' INTO TABLE t */;\n", 1],
  ['a comment that MariaDB runs', "/*M!100000 load data local infile 'x' into table t */;\n", 1],
  ['a statement after a comment of a line', "-- it's\n# it's\nload data infile 'x' into table t;\n", 3],
])('refuseCommands() of MySQL refuses LOAD in %s', async (_where, text, line) => {
  expect(await filter('mysql', text)).toBe(`ERR_DUMP in line ${line}`)
})

it('refuseCommands() of MySQL lets other statements pass', async () => {
  const dump = [
    '/*M!999999\\- enable the sandbox mode */ ',
    "INSERT INTO `load data` VALUES (1,'; load data local infile \\'x\\';'),(2,'it''s');",
    '/* ; load data */ # ; load data',
    '-- ; load data',
    'create table data (`load` int, data int); select 1 as load_data;',
    '-- Dump completed',
    '',
  ].join('\n')
  expect(await filter('mysql', dump)).toBe(dump)
})

it('refuseCommands() knows nothing of dumps that no client reads', () => {
  for (const type of ['sqlite', 'oracle', 'mssql', 'portable']) expect(refuseCommands(type)).toBeUndefined()
})

it('refuseCommands() of MySQL counts lines in long texts, and finds their ends', async () => {
  const long = `${'x'.repeat(50)}\n${'y'.repeat(50)}`
  for (const text of [long, `${long}\\'${long}`, `${long}''`, `${long}\\\\`, `load data \n${long}`]) {
    const rows = `insert into t values (1, '${text}', -1--1, "${long}'", 2.5); insert into \`a\\\` values (1);\n`
    expect(await filter('mysql', rows)).toBe(rows)
    const lines = rows.split('\n').length
    expect(await filter('mysql', `${rows}load data local infile 'x'`)).toBe(`ERR_DUMP in line ${lines}`)
    expect(await filter('mysql', `${rows}insert into t values (1, '${text}'); load data infile 'x'`)).toBe(
      `ERR_DUMP in line ${lines + text.split('\n').length - 1}`,
    )
  }
})
