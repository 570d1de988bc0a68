// Makes a checkout ready: installs what package-lock.json asks for, then builds what has changed. Runs before
// `npm start` and `npm test`, on any Node from 20 on; what follows runs on the Node that the lockfile brings, because
// npm puts node_modules/.bin first in PATH. Node built-ins only. Says nothing when there is nothing to do.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { locked } from './lock.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The oldest Node that the tools and the packages run on. */
const oldestNode = [22, 18]

/** @type {NodeJS.Signals[]} */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Whether the packages on disk are those of the lockfile. npm writes `node_modules/.package-lock.json` last, so an
 * installation that was interrupted does not look finished. Optional packages may be missing: they are for other
 * systems.
 *
 * @param {string} folder of the checkout
 */
export function isInStep(folder) {
  /** @param {string} file @returns {Record<string, any> | undefined} */
  const packagesOf = (file) => {
    try {
      return JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')).packages
    } catch {
      return undefined
    }
  }
  const wanted = packagesOf('package-lock.json')
  const have = packagesOf('node_modules/.package-lock.json')
  if (!wanted || !have) return false
  return Object.entries(wanted).every(([key, entry]) => {
    if (!key.includes('node_modules/') || entry.optional || entry.devOptional) return true
    if (entry.link) return have[key]?.link === true && fs.existsSync(path.join(folder, key))
    return have[key]?.version === entry.version && have[key]?.integrity === entry.integrity
  })
}

/**
 * The npm arguments that bring a checkout in step. `npm ci` starts by deleting node_modules, which Windows refuses
 * while a program in it runs (the Node of another terminal, say); `npm install` replaces only what differs.
 *
 * @param {NodeJS.Platform} platform
 * @param {boolean} hasModules whether there is a node_modules already
 */
export function installArguments(platform, hasModules) {
  const command = platform === 'win32' && hasModules ? 'install' : 'ci'
  // Whatever NODE_ENV and the user's settings say: the tools are development dependencies, Node is an optional one.
  return [command, '--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund', '--no-save']
}

/**
 * Whether what runs after this script has a Node that is new enough: the one in node_modules, or else the user's.
 *
 * @param {string} version such as `20.19.1`
 * @param {boolean} bringsNode whether there is one in node_modules
 */
export function hasNode(version, bringsNode) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode
  return bringsNode || major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/** @typedef {(pid: number | undefined) => void} HoldFor see `locked` */

/** @param {HoldFor} holdFor */
async function install(holdFor) {
  say('Installing packages …')
  await npm(holdFor, installArguments(process.platform, fs.existsSync(path.join(root, 'node_modules'))))
}

/**
 * @param {HoldFor} holdFor
 * @param {string[]} args
 */
async function npm(holdFor, args) {
  // npm's own Node: ours may be the one in node_modules, which is about to be replaced.
  const { npm_node_execpath: node = process.execPath, npm_execpath: program } = process.env
  if (program) await run(holdFor, node, [program, ...args])
  else await run(holdFor, process.platform === 'win32' ? 'npm.cmd' : 'npm', args, process.platform === 'win32')
}

/**
 * Workspaces whose programs `npx` does not find: npm links programs when it installs, and those of a fresh clone were not
 * built yet.
 *
 * @param {string} folder of the checkout
 * @returns {string[]} their names
 */
export function unlinkedWorkspaces(folder) {
  return fs.readdirSync(path.join(folder, 'packages')).flatMap((name) => {
    const manifest = path.join(folder, 'packages', name, 'package.json')
    if (!fs.existsSync(manifest)) return []
    const { name: workspace, bin = {} } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
    const isLinked = (/** @type {string} */ program) =>
      fs.existsSync(path.join(folder, 'node_modules', '.bin', program))
    return Object.keys(bin).every(isLinked) ? [] : [workspace]
  })
}

/** @param {HoldFor} holdFor */
async function linkPrograms(holdFor) {
  const workspaces = unlinkedWorkspaces(root).flatMap((name) => ['--workspace', name])
  if (workspaces.length > 0) await npm(holdFor, ['rebuild', '--ignore-scripts', '--loglevel=error', ...workspaces])
}

/** @param {HoldFor} holdFor */
async function build(holdFor) {
  const note = setTimeout(() => say('Building packages …'), 1000)
  const turbo = path.join(root, 'node_modules', 'turbo', 'bin', 'turbo')
  try {
    await run(holdFor, process.execPath, [turbo, 'run', 'build', '--output-logs=errors-only'])
  } finally {
    clearTimeout(note)
  }
}

/**
 * Runs a program to its end and shows what it printed only when it fails.
 *
 * @param {HoldFor} holdFor
 * @param {string} command
 * @param {string[]} args
 * @param {boolean} [shell]
 * @returns {Promise<void>}
 */
function run(holdFor, command, args, shell = false) {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }
  const child = spawn(command, args, { cwd: root, env, shell, stdio: ['ignore', 'pipe', 'pipe'] })
  holdFor(child.pid)
  let interrupted = false
  const onSignal = (/** @type {NodeJS.Signals} */ name) => {
    // The terminal sends Ctrl-C to the child as well, `kill` only to us. A second signal means: do not wait.
    if (interrupted) child.kill('SIGKILL')
    else if (name !== 'SIGINT') child.kill(name)
    if (!interrupted) say('Stopping; press Ctrl-C again to stop immediately …')
    interrupted = true
  }
  for (const name of stopSignals) process.on(name, onSignal)
  /** @type {Buffer[]} */
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      for (const name of stopSignals) process.off(name, onSignal)
      if (code === 0) return resolve()
      if (!interrupted) process.stderr.write(Buffer.concat(output))
      reject(new Error(`"${[command, ...args].join(' ')}" failed.`))
    })
  })
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`)
}

async function main() {
  // Ctrl-C reaches npm too, which cleans up for a moment. We stay until it has ended: an npm started meanwhile would
  // meet it in node_modules.
  const interruption = new AbortController()
  const { signal } = interruption
  for (const name of stopSignals) process.on(name, () => interruption.abort())
  const onWait = (/** @type {number} */ pid) => say(`Waiting for process ${pid}, which prepares this checkout …`)
  try {
    await locked(
      path.join(root, '.turbo', 'ready.lock'),
      async (holdFor) => {
        if (!isInStep(root)) await install(holdFor)
        if (signal.aborted) return
        if (!hasNode(process.versions.node, fs.existsSync(path.join(root, 'node_modules', '.bin', 'node')))) {
          throw new Error(`Node.js ${oldestNode.join('.')} or newer is needed; this is ${process.version}.`)
        }
        await build(holdFor)
        await linkPrograms(holdFor)
      },
      { onWait, signal },
    )
  } catch (error) {
    if (!signal.aborted) say(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
  if (signal.aborted) process.exitCode = 130
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) await main()
