import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readShellSettings } from './read-shell-settings.js'
import { assignmentLine, rewriteShellSettings } from './write-shell-settings.js'

const read = (text: string) =>
  Object.fromEntries(readShellSettings(text, { file: 'settings.sh' }).map(({ name, value }) => [name, value]))
const rewrite = (text: string, changes: Readonly<Record<string, string | undefined>>) => {
  const wanted = Object.entries({ ...read(text), ...changes }).filter(([, value]) => value !== undefined)
  return rewriteShellSettings(text, Object.fromEntries(wanted) as Record<string, string>, 'settings.sh')
}

describe('rewriteShellSettings()', () => {
  it.for<[what: string, before: string, changes: Record<string, string | undefined>, after: string]>([
    ['changes a value in its place', '# a\nA=1 # one\n\nB=2\n', { A: 'x y' }, "# a\nA='x y' # one\n\nB=2\n"],
    ['adds a variable at the end', 'A=1', { B: '2' }, 'A=1\nB=2\n'],
    ['adds to an empty file', '', { B: '2' }, 'B=2\n'],
    ['removes a line', '# a\nA=1\nB=2\n', { A: undefined }, '# a\nB=2\n'],
    ['removes the last line without its end', 'A=1\nB=2', { B: undefined }, 'A=1\n'],
    ['keeps the comment of a removed line', 'export A=1 # why\nB=2\n', { A: undefined }, '# why\nB=2\n'],
    ['removes one of a line', 'A=1; B=2 C=3\n', { B: undefined }, 'A=1; C=3\n'],
    ['removes one of an export', 'export A=1 B=2\n', { A: undefined }, 'export B=2\n'],
    ['removes all of an export', 'export A=1 B=2\nC=3\n', { A: undefined, B: undefined }, 'C=3\n'],
    ['changes the assignment that holds', 'A=1\nA=2\n', { A: '3' }, 'A=1\nA=3\n'],
    ['removes all assignments of a name', 'A=1\nB=2\nA=3\n', { A: undefined }, 'B=2\n'],
    ['writes out what is expanded', 'A=1\nB="$A/x"\n', { A: '2' }, 'A=2\nB=1/x\n'],
    ['writes out what a removed one gave', 'A=1\nB=${A}x\n', { A: undefined }, 'B=1x\n'],
    ['changes a value of several lines', "A='1\n# 2\n3'\nB=2\n", { A: '4' }, 'A=4\nB=2\n'],
    ['keeps what looks like a comment in a value', "A='1\n# 2'\nB=2\n", { B: '3' }, "A='1\n# 2'\nB=3\n"],
    ['changes nothing when nothing is different', 'export  A="1" ;B=2 #\n', {}, 'export  A="1" ;B=2 #\n'],
  ])('%s', (row) => {
    const [, before, changes, after] = row
    expect(rewrite(before, changes)).toBe(after)
  })

  it('gives exactly the values that are wanted, and keeps each comment and each line that has none of them', () => {
    const name = fc.constantFrom('A', 'B', 'C', 'D')
    const value = fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '$', '#', ';', '\n', '\\') })
    const assignment = fc.tuple(name, value).map(([one, text]) => assignmentLine(one, text))
    const statement = fc.oneof(
      assignment,
      fc.tuple(assignment, assignment).map(([one, two]) => `export ${one} ${two}`),
      fc.tuple(assignment, assignment).map(([one, two]) => `${one}; ${two} # two`),
    )
    const line = fc.oneof(fc.constantFrom('# note', '', '  # A=1'), statement)
    const changes = fc.dictionary(name, fc.option(value, { nil: undefined }))
    fc.assert(
      fc.property(fc.array(line), changes, (lines, by) => {
        const before = lines.map((one) => `${one}\n`).join('')
        const after = rewrite(before, by)
        const wanted = Object.entries({ ...read(before), ...by }).filter(([, text]) => text !== undefined)
        expect(read(after)).toEqual(Object.fromEntries(wanted))
        const kept = lines.filter((one) => one !== '' && Object.keys(read(`${one}\n`)).every((key) => !(key in by)))
        let at = 0
        for (const one of kept) {
          const found = after.indexOf(`${one}\n`, at)
          expect(found, one).toBeGreaterThanOrEqual(at)
          at = found + one.length
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('refuses what it could only do by changing more', () => {
    expect(() => rewrite('A=1\\', { B: '2' })).toThrow('settings.sh cannot be changed without changing more of it.')
  })
})
