import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** One request and what it was answered with. */
export interface Exchange {
  /** Lines before it: blank ones, and comments, which begin with `#`. */
  readonly before: readonly string[]
  readonly method: string
  /** Below the base address. What is not ASCII is percent-encoded when it is sent. */
  readonly path: string
  /** JSON, as it is sent. */
  readonly body: string | undefined
  /** The caller, when it is not the administrator. */
  readonly user: string | undefined
  /** Lines: status, then headers, then the body. */
  readonly answer: readonly string[]
}

const request = /^(GET|HEAD|POST|PUT|DELETE) (\/\S*)(?: (?!as )(.+?))?(?: as (\w+))?$/
const mark = '< '

/** Files of the log, in the order in which they are replayed on one database. */
export function logFiles(): { readonly name: string; readonly url: URL }[] {
  return readdirSync(new URL('.', import.meta.url))
    .filter((name) => name.endsWith('.http'))
    .toSorted()
    .map((name) => ({ name, url: new URL(name, import.meta.url) }))
}

/**
 * Reads a file of the log: `<method> <path> [<JSON body>] [as <user>]`, then the lines of the answer after `< `. Requests
 * without an answer are new ones.
 *
 * @throws Error naming the line that is neither.
 */
export function parseLog(text: string): Exchange[] {
  const exchanges: (Exchange & { answer: string[] })[] = []
  let before: string[] = []
  for (const [at, line] of text.trimEnd().split('\n').entries()) {
    const last = exchanges.at(-1)
    const [, method, path, body, user] = request.exec(line) ?? []
    if (line.startsWith(mark) && last && before.length === 0) last.answer.push(line.slice(mark.length))
    else if (line.trim() === '' || line.startsWith('#')) before.push(line)
    else if (method && path) {
      exchanges.push({ before, method, path, body, user, answer: [] })
      before = []
    } else throw new Error(`Line ${at + 1} of the log is neither a request nor an answer: ${line}`)
  }
  return exchanges
}

export function formatExchange({ before, method, path, body, user, answer }: Exchange): string {
  const asked = [method, path, ...(body === undefined ? [] : [body]), ...(user === undefined ? [] : ['as', user])]
  return [...before, asked.join(' '), ...answer.map((line) => mark + line)].join('\n')
}

export function readLog(url: URL): Exchange[] {
  return parseLog(readFileSync(url, 'utf8'))
}

export function writeLog(url: URL, exchanges: readonly Exchange[]): void {
  writeFileSync(url, `${exchanges.map(formatExchange).join('\n')}\n`)
}
