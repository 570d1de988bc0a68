import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { asAccount, type SystemAccount } from '../../accounts/account.js'
import type { Attack } from './attack.js'

/** Where an attack runs. */
export interface Place {
  /** Folder of the instance. */
  readonly folder: string
  readonly account: SystemAccount
  readonly environment: Readonly<Record<string, string>>
}

/** Only what waits for ever takes that long, in ms. */
const patience = 120_000

/** Leaves what the attacks leave. */
export async function plant(attacks: readonly Attack[], place: Place): Promise<void> {
  const script = attacks.flatMap((attack) => (attack.plant === undefined ? [] : [`(${attack.plant}\n)`])).join('\n')
  const child = run(place, '/bin/sh', ['-c', script], 'ignore')
  const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), patience)
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(timer)
  if (signal === 'SIGKILL')
    throw new Error(`An attack waits when it is planted: ${attacks.map(({ name }) => name).join('; ')}`)
}

/** Runs what attacks do meanwhile; resolves when all of them are running. @returns what ends it */
export async function act(attacks: readonly Attack[], place: Place): Promise<() => Promise<void>> {
  const during = attacks.flatMap((attack) => attack.during ?? [])
  if (during.length === 0) return async () => undefined
  const code = [
    prelude,
    ...during.flatMap(({ once: first }) => (first === undefined ? [] : [`attempt(() => { ${first} })`])),
    `const turns = [${during.flatMap(({ turn }) => (turn === undefined ? [] : [`() => { ${turn} }`])).join(', ')}]`,
    `const pause = ${during.some(({ restless }) => restless) ? 'setImmediate' : '(work) => setTimeout(work, 100)'}`,
    'const again = () => { turns.forEach(attempt); if (turns.length > 0) pause(again) }',
    'again()',
    `setInterval(() => undefined, 60_000)`,
    `process.stdout.write('ready')`,
  ].join('\n')
  const child = run(place, process.execPath, ['--no-warnings', '--input-type=commonjs', '-e', code], 'pipe')
  const closed = once(child, 'close')
  if (child.stdout) await Promise.race([once(child.stdout, 'data'), closed])
  return async () => {
    child.kill('SIGKILL')
    await closed
  }
}

/** Lets those continue that an attack has stopped. */
export async function resumeAll(place: Place): Promise<void> {
  const nowhere = { ...place, folder: '/' }
  await once(run(nowhere, '/bin/sh', ['-c', 'kill -s CONT -- -1'], 'ignore'), 'close')
}

function run(
  { folder, account, environment }: Place,
  command: string,
  args: readonly string[],
  output: 'pipe' | 'ignore',
) {
  const [program, before] = asAccount(account, command)
  return spawn(program, [...before, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', output, process.env['HOSTILE_ERRORS'] === undefined ? 'ignore' : 'inherit'],
    detached: true,
  })
}

/** What the code of attacks may call. */
const prelude = String.raw`
const { appendFileSync, openSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } = require('node:fs')
const { createServer } = require('node:net')
const { createServer: createHttpServer } = require('node:http')
process.on('uncaughtException', () => undefined)
const attempt = (work) => { try { return work() } catch {} }
const kill = (pid, signal) => attempt(() => process.kill(pid, signal))
const own = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
  .filter((pid) => pid !== process.pid && attempt(() => statSync('/proc/' + pid).uid) === process.getuid())
const there = new Set(own())
const isServer = (pid) => (attempt(() => readFileSync('/proc/' + pid + '/cmdline', 'utf8')) ?? '').includes(process.env.SERVER)
/** Processes of the account that came since, by the names of their programs. */
const others = (...names) => own().filter((pid) => !there.has(pid) &&
  names.includes((attempt(() => readFileSync('/proc/' + pid + '/comm', 'utf8')) ?? '').trim()))
const servers = () => own().filter((pid) => isServer(pid) && !(attempt(() => readFileSync('/proc/' + pid + '/comm', 'utf8')) ?? '').startsWith('sh'))
const swapped = new Set()
/** Every second call puts back what was there. */
const swap = (path, target) => {
  attempt(() => { readlinkSync(path); unlinkSync(path) })
  attempt(() => renameSync(path + '.own', path))
  if (swapped.delete(path)) return
  swapped.add(path)
  attempt(() => { renameSync(path, path + '.own'); symlinkSync(target, path) })
}
const exchange = (one, other) => {
  attempt(() => { renameSync(one, one + '.own'); renameSync(other, one); renameSync(one + '.own', other) })
}
const listening = new Map()
const listen = (port, answer) => {
  if (listening.has(port)) return
  const server = createHttpServer(answer)
  listening.set(port, server)
  server.on('error', () => listening.delete(port))
  server.listen(port, '127.0.0.1')
}
const tarEntry = ({ name, type }) => {
  const header = Buffer.alloc(512)
  const put = (text, at) => header.write(text, at, 'latin1')
  put(name, 0); put('0000666\0', 100); put('0000000\0', 108); put('0000000\0', 116); put('00000000000\0', 124)
  put('00000000000\0', 136); put('        ', 148); put(type, 156); put('ustar\x0000', 257); put('0000007\0', 329); put('0000000\0', 337)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(sum.toString(8).padStart(6, '0') + '\0 ', 148)
  return header
}
`
