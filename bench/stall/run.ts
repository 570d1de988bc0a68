import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeApplication } from './application.ts'
import { cases } from './cases.ts'
import type { StallCase } from './cases.ts'
import type { DelayReport } from './report-delay.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    from: { type: 'string' },
    above: { type: 'string', default: '0' },
    help: { type: 'boolean' },
  },
})

if (options.help) {
  console.log('usage: npm run bench:stall -- [--only <part of names>] [--from <name>] [--above <ms>]')
  process.exit(0)
}

/** A case that takes longer is given up, as a client would; a server that is silent for as long is replaced. */
const patienceMs = 60_000

const password = 'a password'
const basic = (login: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

const folder = await mkdtemp(join(tmpdir(), 'steward-stall-'))
let server: ChildProcess | undefined
try {
  await writeApplication(folder)
  let origin = await start()
  console.log('| case | status | answer ms | longest stall ms | CPU ms | RSS MiB before | after |')
  console.log('| ---- | ------ | --------- | ---------------- | ------ | -------------- | ----- |')
  const first = options.from === undefined ? 0 : cases.findIndex(({ name }) => name === options.from)
  for (const each of cases.slice(first)) {
    if (options.only !== undefined && !each.name.includes(options.only)) continue
    const before = await ask(server as ChildProcess)
    const started = performance.now()
    const status = await call(origin, each)
    const took = performance.now() - started
    await sleep(100)
    const after = await Promise.race([ask(server as ChildProcess), sleep(patienceMs)])
    if (!after) {
      console.log(`| ${each.name} | ${status} | ${took.toFixed(0)} | no end | | ${before.rssMb.toFixed(0)} | |`)
      server?.kill('SIGKILL')
      origin = await start()
      continue
    }
    if (after.stallMs < Number(options.above)) continue
    const cells = [
      each.name,
      status,
      took.toFixed(0),
      after.stallMs.toFixed(0),
      after.cpuMs.toFixed(0),
      before.rssMb.toFixed(0),
      after.rssMb.toFixed(0),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
} finally {
  server?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}

async function start(): Promise<string> {
  server = startServer()
  const origin = await addressOf(server)
  await call(origin, { name: '', method: 'POST', path: '/Everything/', body: () => '{"e_key":"first"}' })
  await ask(server)
  return origin
}

function startServer(): ChildProcess {
  const preload = new URL('./report-delay.ts', import.meta.url).href
  const cli = fileURLToPath(new URL('../../packages/app-server/dist/cli.js', import.meta.url))
  return spawn(process.execPath, ['--import', preload, cli, folder, '--port', '0'], {
    env: {
      PATH: process.env['PATH'],
      STEWARD_ADMIN_PASSWORD: password,
      STEWARD_SERVICE_USER: 'io',
      STEWARD_SERVICE_PASSWORD: password,
      STEWARD_LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    output += chunk.toString()
    const [, address] = /(http:\/\/127\.0\.0\.1:\d+)[^]*Stop:/.exec(output) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`The server ended: ${output}`)
}

async function ask(child: ChildProcess): Promise<DelayReport> {
  const answer = once(child, 'message') as Promise<[DelayReport]>
  child.send('report')
  const [report] = await answer
  return report
}

async function call(
  origin: string,
  { method = 'GET', path, body, type, io, leavesAfterMs }: StallCase,
): Promise<string> {
  const content = body?.()
  const address = path.startsWith('/io') || path.startsWith('/api') ? path : `/api/rest${path}`
  const isForm = content instanceof FormData
  try {
    const response = await fetch(origin + address, {
      method,
      headers: {
        authorization: basic(io ? 'io' : 'admin'),
        ...(content !== undefined && !isForm && { 'content-type': type ?? 'application/json' }),
      },
      ...(content !== undefined && { body: content }),
      signal: AbortSignal.timeout(leavesAfterMs ?? patienceMs),
    })
    const text = await response.text()
    if (process.env['STALL_SHOW']) console.error(response.status, text.slice(0, 300))
    return `${response.status}`
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'left' : `failed: ${(error as Error).message}`
  }
}
