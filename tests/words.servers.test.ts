import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../scripts/packages.mjs'
import { checkComments, checkWords, commentFindings } from '../scripts/words/check.mjs'
import { glossaryFile, glossaryOf, readGlossary } from '../scripts/words/glossary.mjs'
import { misspellingsOf } from '../scripts/words/spelling.mjs'

const rows = [
  { say: 'continue', not: ['goes on', 'go … on'] },
  { say: 'after', not: ['behind'], except: ['behind … proxy'] },
  { say: 'not a', not: ['" is no'] },
  { say: 'start', not: ['begin*'] },
]

describe('words of the glossary', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'steward-words-'))
    write(glossaryFile, JSON.stringify(rows))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  const found = () => checkWords(folder).map(({ file, line, found: words, say }) => `${file}:${line} ${words} → ${say}`)

  it.each([
    ['a string', 'packages/x/src/a.ts', `\nthrow new Error('It goes on.')`],
    ['a template', 'packages/x/src/a.ts', '\nconst a = `It ${1} goes on.`'],
    ['strings that "+" joins', 'packages/x/src/a.ts', `\nconst a = 'It goes ' +\n  'on.'`],
    ['the action table', 'packages/x/src/lib/actions/a.ts', `export const a = {\n  summary: 'What goes on' }`],
    ['JSX', 'packages/x/src/ui/a.tsx', '\nexport const a = <p>It goes on.</p>'],
    ['texts of pages', 'packages/x/src/ui/texts/en/a.ts', `export const a = {\n  'a.b': 'It goes on.' }`],
    ['docs', 'docs/a.md', '\nIt goes on.\n'],
    ['a paragraph', 'docs/a.md', '\nIt goes\non.\n'],
    ['a README', 'packages/x/README.md', '\nIt goes on.\n'],
    ['a README of an example', 'examples/x/README.md', '\nIt goes on.\n'],
    ['a changeset', '.changeset/a.md', '\nIt goes on.\n'],
  ])('checkWords() finds them in %s, with file and line', (_, file, text) => {
    write(file, text)
    expect(found()).toEqual([`${file}:2 goes on → continue`])
  })

  it.each([
    ['code of Markdown', 'docs/a.md', 'Run `goes on`:\n\n```sh\ngoes on\n```\n'],
    ['comments', 'packages/x/src/a.ts', '// It goes on.\nexport const a = 1'],
    ['names', 'packages/x/src/a.ts', `export const a = { 'goes on': 1, behind: 'behind' }`],
    ['SQL', 'packages/x/src/a.ts', `run('begin immediate', \`begin \${a}\`)`],
    ['tests', 'packages/x/src/a.test.ts', `it('goes on')`],
    ['separate strings', 'packages/x/src/a.ts', `const a = ['It goes', 'on and on']`],
    ['exceptions', 'docs/a.md', 'The server behind a reverse proxy.'],
    ['places that are allowed', 'docs/a.md', '<!-- words-allow: goes on -->\nIt goes on.\n'],
  ])('checkWords() passes over %s', (_, file, text) => {
    write(file, text)
    expect(found()).toEqual([])
  })

  it('glossaryOf() reads endings, gaps and quotes, at the start of a sentence as well', () => {
    write('docs/a.md', 'Beginning. "x" is no name.\nGo straight on. BEGIN.')
    expect(found()).toEqual([
      'docs/a.md:1 " is no → not a',
      'docs/a.md:1 Beginning → start',
      'docs/a.md:2 Go straight on → continue',
    ])
  })

  it('glossaryOf() refuses a row without a phrase', () => {
    expect(() => glossaryOf([...rows, { say: 'report', not: [] }])).toThrow('"report"')
  })
})

describe('the glossary of this repository', () => {
  it('has no phrase that another row recommends', () => {
    const terms = readGlossary(root)
    expect(terms.length).toBeGreaterThan(20)
    for (const { say } of terms)
      expect([say, terms.filter(({ not }) => new RegExp(not.source, 'u').test(say)).map((term) => term.say)]).toEqual([
        say,
        say.includes('one at a time') ? [say] : [],
      ])
  })

  it('is kept by every text of this repository', () => {
    expect(checkWords(root)).toEqual([])
  })
})

describe('commentFindings()', () => {
  const terms = glossaryOf([...rows, { say: 'latest', not: ['newest'], onlyTexts: true }])
  const found = (file: string, source: string) =>
    commentFindings(file, source, terms).map(({ line, found: words }) => `${line} ${words}`)

  it('finds comments that begin with "Of", of each kind, and nothing else', () => {
    const source = ['/** Of a. */', 'let a', '  // Of b.', '/**', ' * Of c.', ' */', '// All Of d', "'// Of e'"].join(
      '\n',
    )
    expect(found('a.ts', source)).toEqual(['1 Of', '3 Of', '5 Of'])
  })

  it('finds words in comments and in names of tests, with their lines', () => {
    const source = [
      '/**',
      ' * It goes on.',
      ' */',
      "describe('what goes on', () => {",
      '  it.each([1])(',
      '    `%s begins`,',
      "    () => expect('it goes on'),",
      '  ) // It begins.',
      '})',
    ].join('\n')
    expect(found('a.test.ts', source).toSorted()).toEqual(['2 goes on', '4 goes on', '6 begins', '8 begins'].toSorted())
  })

  it.each([
    ['code in a comment', '// `goes on`'],
    ['an exception', '// The server behind a reverse proxy.'],
    ['a place that is allowed', '// words-allow: goes on\n// It goes on.'],
    ['a word that only texts leave out', '// The newest one.'],
    ['a string that is not the name of a test', "expect('goes on')"],
  ])('passes over %s', (_, source) => {
    expect(found('a.test.ts', source)).toEqual([])
  })

  it.each(readGlossary(root).filter(({ isForTexts }) => !isForTexts))(
    'refuses what is not "$say", in a comment and in the name of a test',
    (term) => {
      for (const phrase of term.phrases) {
        const planted = `This ${phrase.replace('*', '').replace('…', 'the file')} x`.replace('This "', '"x"')
        expect(commentFindings('a.ts', `\n// ${planted}.`, [term])).toMatchObject([{ line: 2, say: term.say }])
        expect(commentFindings('a.test.ts', `\nit('${planted}', () => {})`, [term])).toMatchObject([{ line: 2 }])
      }
    },
  )

  it('finds none in this repository', () => {
    expect(checkComments(root)).toEqual([])
  })
})

describe('misspellingsOf()', () => {
  it.each([
    ['docs/a.md', '\nAn instnace `instnace`.\n'],
    ['packages/x/src/a.ts', "\nthrow new Error('An instnace.')"],
    ['packages/x/src/a.ts', '\n/** An instnace of `instnace`. */\nexport const instnace = 1'],
    ['packages/x/src/a.ts', '\nconst a = 1 // An instnace.'],
  ])('finds a typo in the second line of %s', async (file, text) => {
    expect(await misspellingsOf(file, text, [])).toEqual([{ file, line: 2, word: 'instnace' }])
  })

  it('accepts words of the dictionary, both spellings of English, and names in capitals', async () => {
    const text = 'The instnace has a colour, a color, and APPS_QUALIFD.'
    expect(await misspellingsOf('docs/a.md', text, ['instnace'])).toEqual([])
  })
})
