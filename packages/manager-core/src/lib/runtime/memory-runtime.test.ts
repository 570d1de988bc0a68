import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { describe } from 'vitest'
import { testRuntime } from './contract/runtime-suite.js'
import { createMemoryMachine, createMemoryRuntime, type MemoryProgram } from './memory-runtime.js'

/** The test program, in this process. */
const program: MemoryProgram = ({ environment, workingFolder, port }, { print, exited }) => {
  const { TEST_EXIT, TEST_TERM } = environment
  if (TEST_EXIT) {
    setImmediate(() => exited(Number(TEST_EXIT)))
    return { terminate() {}, kill() {} }
  }
  const id = randomUUID()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://localhost')
    const text = (name: string) => searchParams.get(name) ?? ''
    const end = (body: string) => response.writeHead(200, { Connection: 'close' }).end(body)
    if (pathname === '/id') end(id)
    else if (pathname === '/environment') end({ PATH: '/bin', ...environment }[text('name')] ?? '')
    else if (pathname === '/folder') end(workingFolder)
    else if (pathname === '/exit') close(Number(text('code')))
    else if (pathname === '/kill') close('SIGKILL')
    else if (pathname === '/print') {
      const times = Number(searchParams.get('times') ?? 1)
      for (let number = 1; number <= times; number++) print(times === 1 ? text('text') : `${text('text')} ${number}`)
      end('')
    }
  }).listen(port, '127.0.0.1')

  function close(how: number | 'SIGKILL'): void {
    server.close(() => exited(how))
    server.closeAllConnections()
  }
  return { terminate: () => TEST_TERM === 'ignore' || close(0), kill: () => close('SIGKILL') }
}

describe('memory runtime', () => {
  testRuntime(async () => {
    const machine = createMemoryMachine(program)
    let number = 0
    return {
      runtime: createMemoryRuntime(machine),
      another: () => createMemoryRuntime(machine),
      spec: async (label, port, environment) => ({
        id: `i${number++}`,
        folder: `/memory/${label}`,
        command: ['program'],
        environment,
        workingFolder: `/memory/${label}`,
        port,
        log: { maxBytes: 0, keep: 0 },
      }),
      close: async () => {},
    }
  })
})
