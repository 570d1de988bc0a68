import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { actions } from '@steward/manager-core'
import { expect, test } from 'vitest'
import { createProgram } from '../packages/manager-cli/src/lib/program.js'
import { surroundingsOf } from '../packages/manager-cli/src/lib/surroundings.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A command that a text advises, as it stands there. */
interface Advice {
  readonly place: string
  readonly command: string
  /** In a sentence a command may be named without what it needs. */
  readonly isNamed: boolean
}

const programs = ['manager', 'app-server', 'rest-client', 'npm'] as const

// The first one is generated from the action table, and has synopses.
const leftOut = ['docs/manager-commands.md', 'docs/spec/', 'docs/decisions/']

async function filesLike(pattern: string): Promise<string[]> {
  const found: string[] = []
  for await (const file of glob(pattern, { cwd: root })) found.push(file)
  return found
}

async function documents(): Promise<string[]> {
  const patterns = ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'packages/*/src/**/*.md', 'examples/*/README.md']
  const found = (await Promise.all(patterns.map(filesLike))).flat()
  return found.filter((file) => !leftOut.some((start) => file.startsWith(start))).toSorted()
}

/** Commands in blocks of a shell, and those in the text that are code. */
function adviceIn(place: string, text: string): Advice[] {
  const blocks = [...text.matchAll(/^( *)```(?:sh|bash|console)[^\n]*\n([\s\S]*?)^\1```/gm)]
  const inBlocks = blocks
    .flatMap(([, , block = '']) => commandsOf(block))
    .map((command) => ({ command, isNamed: false }))
  const outside = blocks.reduce((rest, [whole]) => rest.replace(whole, ''), text)
  return [...inBlocks, ...named(outside)].map((advice) => ({ place, ...advice }))
}

function named(text: string): Omit<Advice, 'place'>[] {
  return [...text.matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].flatMap(([, code = '']) =>
    commandsOf(code.replace(/\s+/g, ' ')).map((command) => ({ command, isNamed: true })),
  )
}

/** Lines of a shell as single commands of our programs, without what is around them. */
function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/<<-?\s*'?(\w+)'?[^\n]*\n[\s\S]*?\n\s*\1$/gm, '')
    .split('\n')
    .flatMap((line) => withoutComment(line.trim().replace(/^\$ /, '')).split(/\s*(?:&&|\|\||[|;&])\s*/))
    .map((command) => command.replace(/^(?:(?:\w+=\S*|sudo(?: -u \S+)?|npx(?: --no)?|exec|time)\s+)+/, ''))
    .filter((command) => programs.some((name) => command.startsWith(`${name} `)))
}

function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#(?![^']*'\s).*$/, '')
}

/** Words as the shell gives them to a program: placeholders are some word, what follows a redirection is not given. */
function wordsOf(command: string): string[] {
  const words =
    command.replace(/\s\d?>{1,2}\s*\S+|\s<\s+\S+|\)$/g, '').match(/(?:[^\s"'<]|"[^"]*"|'[^']*'|<[^>]*>)+/g) ?? []
  return words.slice(1).map((word) => word.replaceAll(/["']/g, '').replaceAll(/<[^>]*>/g, 'x'))
}

async function mistakeOfManager(words: readonly string[], isNamed: boolean): Promise<string | undefined> {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() })
  const program = createProgram({
    actions,
    version: '0',
    surroundings: surroundingsOf({ stdout: sink, stderr: sink, env: {}, cwd: root }),
    onCall: () => {},
    managerAt: () => {
      throw new Error('Nothing is done.')
    },
  })
  try {
    await program.parseAsync(words, { from: 'user' })
    return undefined
  } catch (error) {
    const { message, exitCode } = error as { readonly message: string; readonly exitCode?: number }
    if (exitCode === 0) return undefined
    // A name may stand for a command without its arguments.
    if (isNamed && /^Which .*\? Usage: /.test(message)) return undefined
    return message
  }
}

const optionsOf = new Map<string, Promise<ReadonlySet<string>>>()

/** Options that a program lists in its help. */
function knownOptions(main: string): Promise<ReadonlySet<string>> {
  const known =
    optionsOf.get(main) ??
    promisify(execFile)(process.execPath, [join(root, main), '--help']).then(
      ({ stdout }) => new Set(stdout.match(/(?<![\w-])--?[a-z][a-z-]*/g)),
    )
  optionsOf.set(main, known)
  return known
}

const mains = {
  'app-server': 'packages/app-server/dist/cli.js',
  'rest-client': 'packages/rest-client/dist/cli.js',
} as const

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** Scripts of the application that `app-server --init` writes. */
const scriptsOfApplications = ['check']
const npmCommands = new Set([
  'install',
  'ci',
  'start',
  'test',
  'run',
  'pack',
  'init',
  'pkg',
  'publish',
  'login',
  'exec',
  'audit',
])

async function mistakeOf({ command, isNamed }: Advice): Promise<string | undefined> {
  const [program = ''] = command.split(' ', 1)
  const words = wordsOf(command)
  if (words.length === 0 || command.includes('…')) return undefined
  if (program === 'manager') return mistakeOfManager(words, isNamed)
  if (program === 'npm') {
    const [name = '', script = ''] = words.filter((word) => !word.startsWith('-'))
    if (!npmCommands.has(name)) return `npm has no "${name}"`
    return name === 'run' && !(script in scripts) && !scriptsOfApplications.includes(script)
      ? `there is no script "${script}"`
      : undefined
  }
  const known = await knownOptions(mains[program as keyof typeof mains])
  const unknown = words.find((word) => /^--?[a-z]/.test(word) && !known.has(word.replace(/=.*/, '')))
  return unknown && `${program} has no option "${unknown}"`
}

async function mistakesIn(advice: readonly Advice[]): Promise<string[]> {
  const found: string[] = []
  for (const one of advice) {
    const mistake = await mistakeOf(one)
    if (mistake !== undefined) found.push(`${one.place}: ${one.command}: ${mistake}`)
  }
  return found
}

test('commands in documents are understood by the programs that they name', async () => {
  const files = await documents()
  const advice = files.flatMap((file) => adviceIn(file, readFileSync(join(root, file), 'utf8')))
  expect(advice.length).toBeGreaterThan(400)
  expect(await mistakesIn(advice)).toEqual([])
})

test('commands in the texts of pages and messages are understood by the programs that they name', async () => {
  const texts = await filesLike('packages/*/src/**/{texts,languages}/*.ts')
  const sources = await filesLike('packages/manager-*/src/**/*.{ts,tsx}')
  const files = [...new Set([...texts, ...sources])].filter((file) => !/test\.tsx?$|\/testing\//.test(file)).toSorted()
  const advice = files.flatMap((file) =>
    // `${…}` stands for a word; in code, commands are in backquotes or double quotes within texts.
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(/(?:\\`|["“«])(manager [a-z][^"`”»\\\n]*)(?:\\`|["”»])/g),
    ].flatMap(([, command = '']) =>
      commandsOf(command.replaceAll(/\$\{[^}]*\}|\{\w+\}/g, 'x')).map((one) => ({
        place: file,
        command: one,
        isNamed: true,
      })),
    ),
  )
  expect(advice.length).toBeGreaterThan(20)
  expect(await mistakesIn(advice)).toEqual([])
})

test('a mistyped command, option or script is found', async () => {
  const wrong = ['manager strat shop', 'manager start shop --emty', 'app-server app --plna', 'npm run lnit']
  const found = await mistakesIn(adviceIn('x', ['```sh', ...wrong, 'manager start', '```', '`manager lst`'].join('\n')))
  expect(found.map((text) => text.split(': ')[1])).toEqual([...wrong, 'manager start', 'manager lst'])
})
