import type { ClientRequest, IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { generationHeader, probeHost, probePath } from './reverse-proxy.js'
import type { Publication, Site } from './site.js'

const callMs = 5000
/** How many sites are asked at the same time. */
const atOnce = 8

/** This many answers in a row say that no former worker takes connections any more. */
const inRow = 4

export interface TakeOver {
  readonly timeoutMs: number
  /** Whether the former workers take no new connections. */
  readonly isOver: () => boolean
}

/**
 * Asks until all new connections find the generation.
 *
 * @returns undefined: they do; else what was there instead
 */
export async function findsGeneration(
  { httpPort }: Publication,
  id: string,
  { timeoutMs, isOver }: TakeOver,
): Promise<string | undefined> {
  const begin = performance.now()
  let count = 0
  for (let pause = 10; ; pause = Math.min(pause * 1.3, 250)) {
    const found = await ask({ host: probeHost, port: httpPort })
    count = found === id && isOver() ? count + 1 : 0
    if (count === inRow) return undefined
    if (performance.now() - begin > timeoutMs)
      return found ?? `the manager's configuration does not answer at port ${httpPort}`
    if (count === 0) await sleep(pause)
  }
}

/** Those sites that something else answers for: another configuration of this machine has the same name. */
export async function foreignSites(
  { httpPort, httpsPort }: Publication,
  sites: readonly Site[],
  id: string,
): Promise<readonly Site[]> {
  const foreign: Site[] = []
  const left = [...sites]
  const work = async () => {
    for (let site = left.pop(); site; site = left.pop()) {
      const plain = await ask({ host: site.host, port: httpPort })
      const encrypted = site.tls ? await ask({ host: site.host, port: httpsPort, tls: true }) : id
      if (plain !== id || encrypted !== id) foreign.push(site)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return foreign
}

interface Question {
  readonly host: string
  readonly port: number
  readonly tls?: boolean
}

/** @returns the generation that answers; undefined: none */
function ask({ host, port, tls = false }: Question): Promise<string | undefined> {
  // An import would load all that Node has of HTTP, which takes longer than most commands.
  const http = process.getBuiltinModule('node:http')
  const https = process.getBuiltinModule('node:https')
  const options = {
    host: '127.0.0.1',
    port,
    path: probePath,
    agent: false as const,
    headers: { Host: host },
    signal: AbortSignal.timeout(callMs),
  }
  return new Promise((resolve) => {
    const answered = (response: IncomingMessage) => {
      response.resume()
      const id = response.headers[generationHeader.toLowerCase()]
      resolve(typeof id === 'string' ? id : undefined)
    }
    // Which certificate it has is not the question: it may be of an authority that this machine does not know.
    const request: ClientRequest = tls
      ? https.get({ ...options, ...servername(host), rejectUnauthorized: false }, answered)
      : http.get(options, answered)
    request.once('error', () => resolve(undefined))
  })
}

/** Addresses are no names for TLS. */
function servername(host: string): { readonly servername?: string } {
  const isAddress = process.getBuiltinModule('node:net').isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0
  return isAddress ? {} : { servername: host }
}
