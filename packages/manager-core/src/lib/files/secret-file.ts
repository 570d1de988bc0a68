import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Secret } from '../domain/secret.js'

/** A secret that only this manager knows; undefined: there is none yet, or the file holds something else. */
export function readSecretFile(file: string): Secret | undefined {
  const text = textOf(file)?.trim() ?? ''
  // It may stand in configuration files and headers.
  return /^[\w-]{32,200}$/.test(text) ? new Secret(text) : undefined
}

/** Makes one when there is none, or a damaged one; of several who do the first one wins. Mode 0600. */
export function ensureSecretFile(file: string): Secret {
  const there = readSecretFile(file)
  if (there) return there
  const beside = `${file}.${process.pid}`
  rmSync(beside, { force: true })
  writeFileSync(beside, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  try {
    if (textOf(file) !== undefined) rmSync(file)
    linkSync(beside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(beside)
  }
  return readSecretFile(file) as Secret
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
