import { describe, expect, it } from 'vitest'
import { columnOfItem, foreignKeysOfItem, splitTable, unquote, withoutForeignKey, withType } from './table-text.js'

const sqliteWords = new Set(['not', 'default', 'collate', 'check', 'constraint', 'references', 'generated'])

describe('splitTable()', () => {
  it('finds columns and constraints, whatever is between their commas', () => {
    const { items, tail } = splitTable(
      `CREATE TABLE "a(b" ([x,(] int default ')', -- one, (two\n y text check (y in ('a,b', '(')) /* c, */, primary key (x, y)) without rowid, strict`,
    )
    expect(items.map((item) => item.trim())).toStrictEqual([
      `[x,(] int default ')'`,
      `-- one, (two\n y text check (y in ('a,b', '(')) /* c, */`,
      'primary key (x, y)',
    ])
    expect(tail).toBe(' without rowid, strict')
  })

  it('refuses a text without columns', () => {
    expect(() => splitTable('create table x as select 1')).toThrow(TypeError)
  })
})

describe('columnOfItem()', () => {
  it.each([
    ['a int', 'a'],
    ['\n  "a ""b"" c" text', 'a "b" c'],
    ['`a``b` int', 'a`b'],
    ['[a b] int', 'a b'],
    ["'check' int", 'check'],
    ['"unique" int', 'unique'],
    ['é int', 'é'],
    ['-- comment\n a', 'a'],
    ['unique (a)', undefined],
    ['CONSTRAINT c check (1)', undefined],
    ['KEY `k` (`a`)', undefined],
  ])('%j → %j', (item, column) => expect(columnOfItem(item)).toBe(column))
})

describe('unquote()', () => {
  it('gives plain names back', () => expect(unquote('abc')).toBe('abc'))
})

describe('withType()', () => {
  it.each([
    ['a int not null', 'a text not null'],
    ['a', 'a text'],
    [' "a b" decimal ( 10 , 2 ) default 5', ' "a b" text default 5'],
    ['a double precision', 'a text'],
    ['a default 5', 'a text default 5'],
    ["a varchar(5) collate nocase check (a <> 'not')", "a text collate nocase check (a <> 'not')"],
    ['a int -- the not null one\n', 'a text -- the not null one\n'],
    ['a int generated always as (1) stored', 'a text generated always as (1) stored'],
  ])('%j → %j', (item, changed) => expect(withType(item, 'text', sqliteWords)).toBe(changed))
})

describe('foreign keys of an item', () => {
  it('are found with their names and columns', () => {
    const found = foreignKeysOfItem(
      `constraint "c 1" foreign key ("a", b) references "t" (x, y) on delete set null on update no action match full not deferrable initially deferred check (a > 1)`,
    )
    expect(found).toMatchObject([{ name: 'c 1', columns: ['a', 'b'] }])
    expect(foreignKeysOfItem('a int references t')).toMatchObject([{ name: '', columns: undefined }])
    expect(foreignKeysOfItem(`a int default 'references' check (a <> 'x references t')`)).toStrictEqual([])
  })

  it('are taken out, and nothing else', () => {
    expect(withoutForeignKey('a int not null constraint k references t (id) on delete cascade default 5', 'K')).toBe(
      'a int not null  default 5',
    )
    expect(withoutForeignKey('\n constraint k foreign key (a) references t on delete set default', 'k')).toBe('')
    expect(withoutForeignKey('constraint k foreign key (a) references t constraint l check (a > 1)', 'k').trim()).toBe(
      'constraint l check (a > 1)',
    )
    expect(withoutForeignKey('a int constraint other references t', 'k')).toBe('a int constraint other references t')
  })
})
