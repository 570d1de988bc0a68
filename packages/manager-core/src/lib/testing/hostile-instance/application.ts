import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownServer } from '../../servers/application-server.js'
import { fakeApplicationServer } from '../fake-application.js'

/** What hostile code tries; the answer is what it got, or the code of the error. */
export type Attempt =
  | { readonly read: string }
  | { readonly list: string }
  | { readonly write: string }
  | { readonly signal: number }
  | { readonly link: readonly [target: string, path: string] }
  | { readonly symlink: readonly [target: string, path: string] }
  | { readonly remove: string }

/** Serves as the fake one does, notes the user of each of its processes, and does what `/attack` asks for. */
const program = (notes: string) => `
import * as fs from 'node:fs'
const note = [process.getuid(), process.getgid(), process.getgroups().join('+'), process.argv.slice(3).filter((one) => one.startsWith('--')).join(' ')]
fs.appendFileSync(${JSON.stringify(notes)}, note.join(':') + '\\n')
const http = process.getBuiltinModule('node:http')
const { createServer } = http
const tries = {
  read: (path) => fs.readFileSync(path, 'latin1'),
  list: (path) => fs.readdirSync(path).join(),
  write: (path) => fs.closeSync(fs.openSync(path, 'a')),
  signal: (pid) => process.kill(pid, 0),
  link: ([target, path]) => fs.linkSync(target, path),
  symlink: ([target, path]) => fs.symlinkSync(target, path),
  remove: (path) => fs.rmSync(path, { force: true }),
}
http.createServer = (handler) => createServer((request, response) => {
  if (!request.url.startsWith('/attack')) return handler(request, response)
  const [[kind, argument]] = Object.entries(JSON.parse(decodeURIComponent(request.url.split('?')[1])))
  let answer
  try {
    answer = String(tries[kind](argument))
  } catch (error) {
    answer = 'refused: ' + error.code
  }
  response.end(answer)
})
await import(${JSON.stringify(fakeApplicationServer)})
`

/** Puts it into a template as the application server that it brings. @param notes file that all may write to */
export function writeHostileServer(template: string, notes: string): void {
  const file = join(template, ownServer)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    join(dirname(dirname(file)), 'package.json'),
    '{"name":"@steward/app-server","version":"0.0.0","type":"module"}',
  )
  writeFileSync(file, program(notes))
}

/** Has the instance at this port try it. */
export async function attempt(port: number, what: Attempt): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/attack?${encodeURIComponent(JSON.stringify(what))}`)
  return answer.text()
}
