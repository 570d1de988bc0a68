import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anyCharacter } from '../../../../../tests/fuzz/any-character.js'
import { ManagerError } from '../../errors.js'
import { readSettingsFile } from './read-settings-file.js'
import { readShellSettings } from './read-shell-settings.js'
import { assignmentLine } from './write-shell-settings.js'

const environment: Readonly<Record<string, string>> = { HOME: '/home/me', EMPTY: '' }
const read = (text: string) => {
  const found = readShellSettings(text, { file: 'config.sh', lookup: (name) => environment[name] })
  return Object.fromEntries(found.map(({ name, value }) => [name, value]))
}
const refusal = (text: string) => {
  try {
    read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(ManagerError)
    expect(error).toMatchObject({ code: 'ERR_SETTINGS' })
    return (error as Error).message
  }
  throw new Error(`It was taken: ${text}`)
}

/** What bash makes of it; the names must be known. */
function bash(text: string, names: readonly string[]): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-shell-'))
  try {
    const file = join(folder, 'settings.sh')
    writeFileSync(file, text)
    const program = `. "$0"; for name do printf '%s\\0' "$name" "\${!name}"; done`
    const output = execFileSync('bash', ['-c', program, file, ...names], {
      env: { ...environment, PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    })
    const parts = output.split('\0').slice(0, -1)
    return Object.fromEntries(names.map((name, at) => [name, parts[at * 2 + 1] ?? '']))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const hasBash = (() => {
  try {
    execFileSync('bash', ['-c', ':'])
    return true
  } catch {
    return false
  }
})()

const texts: Readonly<Record<string, string>> = {
  'an assignment': 'A=1',
  export: 'export A=1',
  'several exports on a line': 'export A=1 B=2 C',
  'exports of each other': 'A=1\nexport A=2 B=$A\nA=3 C=$A',
  'several on a line': 'A=1; B=2 C=3;D=4',
  'empty values': 'A=\nB=""\nC=\'\'',
  comments: '# A=0\nA=1 # one\nB=2#2\n\t#C=3\nC=3;#4',
  'blanks around': '  A=1  \n\t export\tB=2',
  'single quotes': `A='a b "c" $D \\n \`x\`'`,
  'double quotes': `A="a 'b' # c; d" B="\\"\\$\\\\\\\`\\n"`,
  'quotes over lines': `A='a\nb' B="a\nb"`,
  'parts side by side': `A=a"b c"'d e'f$HOME"$HOME"`,
  'backslashes outside of quotes': String.raw`A=a\ b\'\"\$\\\#c\;d`,
  'continued lines': 'A=a\\\nb B="a\\\nb" C=\'a\\\nb\'\nexport D=1 \\\n  E=2',
  'a backslash at the end': 'A=a\\',
  expansions: 'A=/srv\nB=$A/x C=${A}y D="$A $B" E=\'$A\' F=$HOME',
  'expansion of what an earlier line assigned last': 'A=1\nB=$A\nA=2\nC=$A',
  'fallbacks of expansions': 'A=1 B=${A:-2} C=${NOTSET:-a b} D="${NOTSET:-}" E=${EMPTY:-none} F=${EMPTY}',
  'dollar signs as text': 'A=$ B="a$" C=a$/b D="$ x"',
  'ansi quotes': String.raw`A=$'a\tb\n\'\"\\\e[1m\x41\101ä\U0001F600\q' B="$'a'"`,
  'characters without meaning': 'A=a=b*?[x]{y}!%^@:,.~ B=ä€😀',
  unicode: 'A="grüße 😀"',
  'export of what there is': 'A=1\nexport A\nexport A B=2',
  'nothing at all': '\n \n#\n',
}

describe('readShellSettings()', () => {
  it.for(Object.entries(texts))('reads %s as bash does', ([, text], { skip }) => {
    skip(!hasBash, 'bash is not installed')
    const values = read(text)
    expect(values).toEqual(bash(text, Object.keys(values)))
  })

  it('reads what the requirements show', () => {
    const text = `export APPS_BASEURL="https://apps.example.org"\nAPPS_SAVE_DIR=$HOME/save\nAPPS_ENCONDING='UTF-8'`
    expect(read(text)).toEqual({
      APPS_BASEURL: 'https://apps.example.org',
      APPS_SAVE_DIR: '/home/me/save',
      APPS_ENCONDING: 'UTF-8',
    })
  })

  it('accepts a byte order mark and CRLF, and counts lines', () => {
    const found = readShellSettings('\uFEFFA=1\r\n\r\n# x\r\nB="2\r\n3" C=4\r\nD=5\r\n', { file: 'config.sh' })
    expect(found).toEqual([
      { name: 'A', value: '1', line: 1 },
      { name: 'B', value: '2\n3', line: 4 },
      { name: 'C', value: '4', line: 5 },
      { name: 'D', value: '5', line: 6 },
    ])
  })

  it.for([
    ['A=$(touch marker)', 'command substitution'],
    ['A="x$(touch marker)"', 'command substitution'],
    ['A=`touch marker`', 'command substitution'],
    ['A="`touch marker`"', 'command substitution'],
    ['A=$((1+1))', 'Arithmetic'],
    ['A=(1 2)', 'array'],
    ['A[0]=1', 'array'],
    ['A+=1', 'appends'],
    ['A=1 | touch marker', 'pipe'],
    ['A=1 && touch marker', 'list of commands'],
    ['A=1 || touch marker', 'list of commands'],
    ['A=1 & touch marker', 'background'],
    ['A=1 > marker', 'redirection'],
    ['> marker', 'redirection'],
    ['A=x<y', 'redirection'],
    ['if true; then A=1; fi', '"if"'],
    ['f() { touch marker; }', 'function'],
    ['f () { touch marker; }', 'function'],
    ['function f { touch marker; }', '"function"'],
    ['( A=1 )', 'subshell'],
    ['{ A=1; }', '"{"'],
    ['[[ -f x ]] && A=1', '"[["'],
    ['. other.sh', '"."'],
    ['source other.sh', '"source"'],
    ['eval A=1', '"eval"'],
    ['unset A', '"unset"'],
    ['touch marker', 'command "touch"'],
    ['/bin/rm -rf x', 'command "/bin/rm"'],
    ['A = 1', 'command "A"'],
    ['A=1;; B=2', 'empty command'],
    ['A=1 touch marker', 'after the assignment'],
    ['A=1 export B=2', 'after the assignment'],
    ['export -n A', 'option of "export"'],
    ['export A=1 -x', 'option of "export"'],
    ['A=~/x', 'home folder'],
    ['A=x:~/y', 'home folder'],
    ['A=$1', 'parameter of the shell'],
    ['A=$$', 'parameter of the shell'],
    ['A=$HO\\\nME', 'continued line'],
    ['A=${B%x}', 'expansion'],
    ['A=${#B}', 'expansion'],
    ['A=${B:-$(touch marker)}', 'expansion'],
    ['A=$"x"', 'translated'],
    ["A='x", 'no end'],
    ['A="x', 'no end'],
    ["A=$'x", 'no end'],
    [String.raw`A=$'\x00'`, 'escape'],
    [String.raw`A=$'\ud800'`, 'escape'],
    ['A=$NOTSET', '$NOTSET'],
    ['A=x\0y', 'NUL'],
    ['=1', 'without an assignment'],
    ['1A=1', 'command "1A"'],
    ['ä=1', 'command "ä"'],
    ['A=1\nA-B=2', 'command "A-B"'],
  ] as const)('refuses %j', ([text, what]) => {
    const lines = text.replace('\\\n', '').split('\n').length
    expect(refusal(`# first\n${text}`)).toMatch(new RegExp(`^config\\.sh:${lines + 1}: `))
    expect(refusal(text)).toContain(what)
  })

  it('names the line where a quote starts that has no end', () => {
    expect(refusal('A=1\nB="x\ny\nz')).toMatch(/^config\.sh:2: /)
  })

  it('reveals nothing about a password that should have been in quotes', () => {
    expect(refusal('APPS_PASSWORD=s3 cret')).not.toContain('cret')
    expect(refusal('APPS_PASSWORD=s3$cret')).not.toContain('cret')
    expect(refusal('APPS_MAILPASSWORD="s3$cret"')).not.toContain('cret')
    expect(refusal('APPS_PASSWORD=s3&cret')).not.toContain('cret')
    expect(refusal('export APPS_PASSWORD=s3 -cret')).not.toContain('cret')
    expect(refusal("APPS_PASSWORD='s3cret")).not.toContain('cret')
  })

  it('executes nothing of a file with shell code in it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-shell-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const marker = join(folder, 'marker')
    const codes = [`touch ${marker}`, `A=$(touch ${marker})`, `A=\`touch ${marker}\``, `A=1 > ${marker}`]
    for (const [at, code] of codes.entries()) {
      const file = join(folder, `${at}.sh`)
      writeFileSync(file, `A=1\n${code}\n`)
      expect(() => readSettingsFile(file)).toThrow(`${file}:2: `)
    }
    expect(existsSync(marker)).toBe(false)
  })

  it('reads long files and long lines', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => (at % 2 ? '# a comment' : `A${at}=${at}`))
    expect(Object.keys(read(lines.join('\n')))).toHaveLength(10_000)
    expect(read(`A=${'x'.repeat(200_000)}`)['A']).toHaveLength(200_000)
    expect(read(`#${'x '.repeat(100_000)}\n${'\n'.repeat(100_000)}A=1`)).toEqual({ A: '1' })
  })

  it('either reads any text or refuses it with a line', () => {
    const pieces = fc.constantFrom(
      ...[
        'A',
        '=',
        'B=',
        '$A',
        '${A}',
        '${A:-x}',
        "'",
        '"',
        '\\',
        '\n',
        ' ',
        ';',
        '#',
        '$(',
        ')',
        '`',
        '|',
        '&',
        '<',
        '$',
      ],
      ...['export ', "$'", 'if ', '\r\n', '\t', 'ä', '~', '(', '{', '}', '\\n', '\uFEFF'],
    )
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
      fc.string({ unit: anyCharacter }),
    )
    fc.assert(
      fc.property(text, (code) => {
        try {
          read(code)
        } catch (error) {
          expect((error as Error).message).toMatch(/^config\.sh:\d+: /)
        }
      }),
      { numRuns: 1200 },
    )
  })

  it('reads what it takes as bash does, whatever it is', ({ skip }) => {
    skip(!hasBash, 'bash is not installed')
    const piece = fc.constantFrom(
      ...[
        'A=',
        ' B=',
        '\nA=',
        '\nexport B=',
        'a',
        '$A',
        '${B}',
        '${A:-x y}',
        "'",
        '"',
        '\\',
        ' ',
        ';',
        '#',
        '$',
        "$'",
        '\\t',
      ],
    )
    const code = fc.array(piece, { minLength: 2, maxLength: 16 }).map((parts) => `A=1 B=2\nA=${parts.join('')}\n`)
    fc.assert(
      fc.property(code, (text) => {
        const values = (() => {
          try {
            return read(text)
          } catch {
            return undefined
          }
        })()
        if (values) expect(values).toEqual(bash(text, Object.keys(values)))
      }),
      { numRuns: 120 },
    )
  })
})

describe('assignmentLine()', () => {
  const value = fc
    .oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: fc.constantFrom('\r', '\n', "'", '"', '$', '\\', 'a', ' ', '`', '!') }),
    )
    .map((text) => text.replaceAll('\0', ''))

  it('writes any value so that it is read back as it was', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (values) => {
        const lines = values.map((one, at) => assignmentLine(`V${at}`, one))
        expect(Object.values(read(`${lines.join('\n')}\n`))).toEqual(values)
      }),
      { numRuns: 1000 },
    )
  })

  it('writes for a shell, too', ({ skip }) => {
    skip(!hasBash, 'bash is not installed')
    const values = fc.sample(value, 200)
    const names = values.map((_, at) => `V${at}`)
    const text = names.map((name, at) => assignmentLine(name, values[at] as string)).join('\n')
    expect(Object.values(bash(text, names))).toEqual(values)
  })

  it('refuses what no text file can hold, without showing it', () => {
    for (const bad of ['secret\0', 'secret\uD800'])
      expect(() => assignmentLine('APPS_PASSWORD', bad)).toThrow(/^The value of APPS_PASSWORD cannot be written/)
  })
})

describe('readSettingsFile()', () => {
  const file = (content: string | Buffer) => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-settings-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'config.sh')
    writeFileSync(path, content)
    return path
  }

  it('gives nothing for a file that is not there', () => {
    expect(readSettingsFile('/not/there/config.sh')).toBeUndefined()
  })

  it('refuses folders, long files and other encodings', () => {
    expect(() => readSettingsFile(tmpdir())).toThrow('is not a file')
    expect(() => readSettingsFile(file('#'.repeat(300_000)))).toThrow('too long')
    expect(() => readSettingsFile(file(Buffer.from('A=gr\xfc\xdfe', 'latin1')))).toThrow('not written in UTF-8')
  })
})
