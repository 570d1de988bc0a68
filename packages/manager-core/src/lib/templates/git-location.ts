import { isAbsolute } from 'node:path'
import { ManagerError } from '../../errors.js'
import { showLocation } from './location.js'

/** What `git:<url>[?path=<folder>][#<ref>]` says. */
export interface GitLocation {
  /** Without credentials. */
  readonly url: string
  /** Branch, tag or whole commit; default the branch that the repository calls its own. */
  readonly ref: string
  /** Folder in the repository; empty: the repository. */
  readonly path: string
  /** Given in the address; they never reach a command line. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

const protocols = ['https:', 'http:', 'ssh:', 'file:']

/** @throws ManagerError ERR_TEMPLATE */
export function parseGitLocation(location: string): GitLocation {
  const [, address = '', query, ref = 'HEAD', lastQuery] =
    /^git:([^?#]*)(?:\?([^#]*))?(?:#([^?]*)(?:\?(.*))?)?$/.exec(location) ?? []
  const refuse = (why: string) =>
    new ManagerError('ERR_TEMPLATE', `"${showLocation(location)}" cannot be used: ${why}.`, {
      help: 'Use git:<url>, followed by ?path=<folder> and #<branch, tag or commit> if needed.',
    })
  const parameters = new URLSearchParams([query, lastQuery].filter(Boolean).join('&'))
  const unknown = [...parameters.keys()].find((name) => name !== 'path')
  if (unknown !== undefined) throw refuse(`the parameter "${unknown}" is unknown`)
  const path = parameters.get('path') ?? ''
  if (!isRef(ref)) throw refuse(`"${ref}" is not a branch, tag or commit`)
  if (isAbsolute(path) || path.split(/[/\\]/).some((part) => part === '..' || part === '.git'))
    throw refuse(`"${path}" is not a folder in the repository`)

  const rest = { ref, path: path.replace(/^(\.?\/)+|\/+$/g, '') }
  if (isAbsolute(address)) return { url: address, credentials: undefined, ...rest }
  // `git@host:folder/repository`, as git itself takes it.
  if (/^[A-Za-z0-9][\w.-]*@[A-Za-z0-9][\w.-]*:(?!\/\/)[^-]/.test(address))
    return { url: address, credentials: undefined, ...rest }
  if (!URL.canParse(address)) throw refuse('it is not a valid repository address')
  const url = new URL(address)
  if (!protocols.includes(url.protocol)) throw refuse(`the address must start with ${protocols.join('//, ')}//`)
  // What ssh would take for an option.
  if (/^-|^%2d/i.test(url.hostname) || /^-|^%2d/i.test(url.username)) throw refuse('its host is not valid')
  if (!url.protocol.startsWith('http')) {
    if (url.password !== '') throw refuse('passwords do not work here; use a key')
    return { url: address, credentials: undefined, ...rest }
  }
  const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string]
  url.username = url.password = ''
  return { url: url.href, credentials: user === '' && password === '' ? undefined : { user, password }, ...rest }
}

/** Nothing that git would take for an option, a pattern or a pair of refs. */
function isRef(ref: string): boolean {
  return (
    ref.length <= 200 && /^[^-+^~:?*[\\\s\p{Cc}@][^~^:?*[\\\s\p{Cc}]*$/u.test(ref) && !/\.\.|@\{|\/\/|\.lock$/.test(ref)
  )
}
