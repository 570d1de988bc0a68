import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Secret } from '../domain/secret.js'
import type { Home } from '../home.js'

/** What the reverse proxy proves itself with to the server; undefined: there is none yet, or it is no secret. */
export function readProxySecret({ proxySecret }: Pick<Home, 'proxySecret'>): Secret | undefined {
  try {
    const text = readFileSync(proxySecret, 'utf8').trim()
    // It stands in configuration files and headers.
    return /^[\w-]{32,200}$/.test(text) ? new Secret(text) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Makes one when there is none. */
export function ensureProxySecret(home: Pick<Home, 'proxySecret'>): Secret {
  const there = readProxySecret(home)
  if (there) return there
  const beside = `${home.proxySecret}.${process.pid}`
  rmSync(beside, { force: true })
  writeFileSync(beside, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  try {
    // One that was damaged is made anew; otherwise the first one who makes it wins.
    if (readSafely(home) === 'damaged') rmSync(home.proxySecret)
    linkSync(beside, home.proxySecret)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(beside)
  }
  return readProxySecret(home) as Secret
}

function readSafely({ proxySecret }: Pick<Home, 'proxySecret'>): 'damaged' | 'missing' {
  try {
    readFileSync(proxySecret)
    return 'damaged'
  } catch {
    return 'missing'
  }
}
