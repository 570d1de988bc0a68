// What `npm start` runs on a checkout that is ready: a manager's home in .manager, with an instance "demo" of the default
// template that runs and is healthy, and the manager's server until Ctrl-C. It may be called again at any time. The
// instance continues when this ends. Another home, and another port for the server than 8000, may be given as arguments.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { main } from '@steward/manager-cli'
import { createManager } from '@steward/manager-core'

const home = process.argv[2] ?? fileURLToPath(new URL('../.manager', import.meta.url))
const port = Number(process.argv[3] ?? 8000)
const name = 'demo'

/**
 * Runs a command of the manager as if it were typed, and collects what it prints; progress goes to the terminal.
 *
 * @param {...string} args
 * @returns {Promise<{ code: number, output: string }>}
 */
async function manager(...args) {
  let output = ''
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      output += chunk
      done()
    },
  })
  return { code: await main([...args, '--home', home], { stdout }), output }
}

/**
 * @param {...string} args
 * @returns {Promise<Record<string, any> | undefined>} undefined when it failed
 */
async function answer(...args) {
  const { code, output } = await manager(...args, '--json')
  return code === 0 ? JSON.parse(output) : undefined
}

/** @returns {Promise<number>} the exit code */
async function start() {
  const made = await manager('init')
  if (made.code !== 0) return made.code
  const there = await answer('get', name)
  if (there?.item.observed !== 'started') {
    const { code } = await manager(there ? 'start' : 'add', name)
    if (code !== 0) return code
  }
  const instance = await answer('get', name)
  const credentials = await answer('iocredentials', name)
  if (!instance || !credentials) return 1
  const listen = `127.0.0.1:${(await isFree(port)) ? port : await freePort()}`
  process.stdout.write(welcome(instance.item.url, credentials.admin_user, credentials.admin_password, listen))
  return main(['serve', '--home', home, '--listen', listen])
}

/** @param {number} port */
async function isFree(port) {
  return (await tryPort(port)) !== undefined
}

async function freePort() {
  return Number(await tryPort(0))
}

/**
 * @param {number} port
 * @returns {Promise<number | undefined>} undefined when it is taken
 */
async function tryPort(port) {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' ? address?.port : undefined
  } catch {
    return undefined
  } finally {
    server.close()
  }
}

/** For the manager's pages; `init` made it. */
function pagesPassword() {
  const { settings } = createManager({ home, applicationServer: '', defaultTemplate: '' }).context
  return settings.global.password?.reveal() ?? 'admin'
}

/**
 * @param {string} url
 * @param {string} user
 * @param {string} password
 * @param {string} listen where the manager's server is
 */
function welcome(url, user, password, listen) {
  return `
Instance "${name}" is running and keeps running when you close this terminal.

Records        ${url}/
REST service   ${url}/api/rest
Tester page    ${url}/api/tester
Administrator  ${user}, with the password ${password}

Manager        http://${listen}/ui/
               admin, with the password ${pagesPassword()}

In a shell:
  curl -u '${user}:${password}' '${url}/api/rest/Task/?tas_state=open'

The manager in another shell, in this folder:
  npx manager list           all instances
  npx manager logs ${name}      what it wrote last
  npx manager save ${name}      a backup
  npx manager add shop       another instance
  npx manager stop ${name}
  npx manager --help         all commands
`
}

process.exitCode = await start()
