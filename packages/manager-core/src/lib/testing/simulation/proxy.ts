// The reverse proxy of the simulated machine. It imports nothing that its stand-ins are for.
import { generationHeader, probeHost, type ProxyRefusal } from '../../proxies/reverse-proxy.js'
import { existsSync, readFileSync } from './files.js'
import { machine, type Configuration, type Route } from './machine.js'

export const proxyPort = 80
/** Host of the manager; instances have hosts below it. */
export const managersHost = 'apps.test'
/** Where the server of the manager listens, and where it wakes instances. */
export const managersServer = { manager: '127.0.0.1:8000', waker: '127.0.0.1:9000' }

/** How long a slow one takes to read its configuration, in ms; workers of the former one end as long after that. */
const slowMs = 2000

/** It gets the signal to read what is below this folder. */
export function reload(folder: string): void {
  const { proxy, now } = machine.state
  proxy.folder = folder
  // It takes the signal, and keeps what it has.
  if (proxy.condition === 'failing' && machine.random.chance(0.2)) return
  if (proxy.condition === 'slow') proxy.loadsAt = now + slowMs
  else load()
}

/** Reads its configuration; when that is damaged, it keeps the one it has. */
function load(): void {
  const { proxy, now } = machine.state
  proxy.loadsAt = undefined
  const live = `${proxy.folder}/live`
  if (existsSync(live) && refusalOf(live)) return
  proxy.configuration = existsSync(live) ? configurationIn(live) : { id: '', routes: new Map() }
  proxy.retiring.set(proxy.worker, proxy.condition === 'slow' ? now + slowMs : now)
  proxy.worker = machine.state.nextPid++
}

/** As it is now. */
export function settled() {
  const { proxy, now } = machine.state
  if (proxy.loadsAt !== undefined && now >= proxy.loadsAt) load()
  return proxy
}

/** What changes about it; when it starts, it reads its configuration. */
export function setProxy(condition: (typeof machine.state.proxy)['condition']): void {
  const { proxy } = machine.state
  const wasDown = proxy.condition === 'down'
  proxy.condition = condition
  if (condition !== 'slow' && proxy.loadsAt !== undefined) load()
  if (wasDown && condition !== 'down') load()
}

/** Why it does not take what is in a folder; undefined: it does. */
export function refusalOf(folder: string): ProxyRefusal | undefined {
  try {
    configurationIn(folder)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return { message, output: message }
  }
}

/** @throws Error when it is damaged */
function configurationIn(folder: string): Configuration {
  const { id } = JSON.parse(readFileSync(`${folder}/00-steward.conf`, 'utf8')) as { readonly id: string }
  const routes = new Map<string, Route>()
  let host: string | undefined
  for (const line of readFileSync(`${folder}/sites.conf`, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    if (line === '}') host = undefined
    else if (host === undefined) host = line.slice(0, -' {'.length)
    else {
      const { path, ...route } = JSON.parse(line) as Route & { readonly path: string }
      routes.set(host + path, route)
    }
  }
  if (host !== undefined) throw new Error(`unexpected end of file, expecting "}" of ${host}`)
  return { id, routes }
}

/** What its port answers to a probe; undefined: nothing listens. */
export function probeAnswer(host: string) {
  const { condition, configuration } = settled()
  if (condition === 'down') return undefined
  const isKnown = host === probeHost || configuration.routes.has(host)
  const headers = isKnown ? { [generationHeader.toLowerCase()]: configuration.id } : {}
  return { status: isKnown ? 204 : 404, text: '', headers }
}
