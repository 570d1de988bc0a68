/**
 * What instances run in the contract suite, as a module for Node; a runtime that runs something else (a servlet, an
 * image) offers the same: an HTTP server on port `TEST_PORT` of `STEWARD_HOST`, or of 127.0.0.1, and at an inherited socket, with `/id` (a text of its own per start),
 * `/environment?name=`, `/folder`, `/print?text=&times=` (to its log), `/files?most=` (opens as many files at the same time, and says
 * how many it could, closed again), `/exit?code=` and `/kill` (ends without a chance). `TEST_EXIT=<code>` ends it at once; `TEST_TERM=ignore` lets it pass over a request to end.
 */
export const testProgram = `import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:http'

const { TEST_PORT, TEST_EXIT, TEST_TERM } = process.env
if (TEST_EXIT) process.exit(Number(TEST_EXIT))
const id = randomUUID()
process.on('SIGTERM', () => TEST_TERM === 'ignore' || process.exit(0))
const answer = (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const end = (text) => response.writeHead(200, { Connection: 'close' }).end(text)
  if (pathname === '/id') end(id)
  else if (pathname === '/environment') end(process.env[searchParams.get('name')] ?? '')
  else if (pathname === '/folder') end(process.cwd())
  else if (pathname === '/files') {
    const opened = []
    try {
      while (opened.length < Number(searchParams.get('most'))) opened.push(openSync('/dev/null'))
    } catch {}
    for (const file of opened) closeSync(file)
    end(String(opened.length))
  }
  else if (pathname === '/exit') process.exit(Number(searchParams.get('code')))
  else if (pathname === '/kill') process.kill(process.pid, 'SIGKILL')
  else if (pathname === '/print') {
    const times = Number(searchParams.get('times') ?? 1)
    const text = searchParams.get('text')
    for (let number = 1; number <= times; number++) process.stdout.write(times === 1 ? text + '\\n' : text + ' ' + number + '\\n')
    end('')
  } else response.writeHead(404).end()
}
createServer(answer).listen(Number(TEST_PORT), process.env.STEWARD_HOST ?? '127.0.0.1')
if (process.env.LISTEN_PID === String(process.pid)) createServer(answer).listen({ fd: 3 })
`
