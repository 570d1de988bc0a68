import { TargetError } from '../target-error.js'
import { answerError } from './errors.js'
import type { HttpAnswer, HttpClient } from '../http/http-client.js'

export interface LoginSettings {
  /** Where to log in: `…/auth/v1.0`, `…/v2.0`, `…/v3`, or a Keystone that says itself what it speaks. */
  readonly url: URL
  /** Default: found out from the address. */
  readonly version: 1 | 2 | 3 | undefined
  /** Tenant (version 2) or project (3); of version 1 the part of the user before `:`. */
  readonly tenant: string | undefined
  readonly user: string
  readonly password: string
  /** The user's domain, by its name; `default` is the id that Keystone gives its first one. */
  readonly domain: string
  readonly tenantDomain: string
  /** Default: the first one that has an object store. */
  readonly region: string | undefined
  /** Version 3, instead of user, password and tenant. */
  readonly applicationCredential: { readonly id: string; readonly secret: string } | undefined
}

/** What a log-in gives. */
export interface Access {
  readonly token: string
  /** Address of the account, without `/` at its end. */
  readonly storageUrl: string
}

/** @throws TargetError ERR_TARGET_REFUSED, ERR_TARGET_SETTINGS (no store for this user, unknown region) */
export async function logIn(http: HttpClient, settings: LoginSettings, signal?: AbortSignal): Promise<Access> {
  const version = settings.version ?? (await findVersion(http, settings, signal))
  const access = await logIns[version](http, settings, signal)
  return { ...access, storageUrl: access.storageUrl.replace(/\/+$/, '') }
}

type LogIn = (http: HttpClient, settings: LoginSettings, signal?: AbortSignal) => Promise<Access>

const logIns: Readonly<Record<1 | 2 | 3, LogIn>> = { 1: logIn1, 2: logIn2, 3: logIn3 }

/** By the address; else Keystone is asked at its root, which lists its versions. Who knows no versions speaks version 1. */
async function findVersion(http: HttpClient, { url }: LoginSettings, signal?: AbortSignal): Promise<1 | 2 | 3> {
  const [, named] = /\/v([123])(?:\.\d+)?(?:\/|$)/.exec(url.pathname) ?? []
  if (named !== undefined) return Number(named) as 1 | 2 | 3
  const answer = await http.send({ method: 'GET', url, headers: { accept: 'application/json' }, signal })
  const versions = parseVersions(await answer.text())
  if (versions.some((id) => id.startsWith('v3'))) return 3
  return versions.some((id) => id.startsWith('v2')) ? 2 : 1
}

function parseVersions(text: string): string[] {
  try {
    const { versions } = JSON.parse(text) as { versions?: { values?: { id: string }[] } | { id: string }[] }
    const list = Array.isArray(versions) ? versions : (versions?.values ?? [])
    return list.map(({ id }) => id)
  } catch {
    return []
  }
}

async function logIn1(http: HttpClient, settings: LoginSettings, signal?: AbortSignal): Promise<Access> {
  const { url, tenant, user, password } = settings
  const name = tenant === undefined || user.includes(':') ? user : `${tenant}:${user}`
  const headers = { 'x-auth-user': name, 'x-auth-key': password }
  const answer = await checked(await http.send({ method: 'GET', url, headers, signal }), settings)
  await answer.text()
  const { 'x-auth-token': token, 'x-storage-url': storageUrl } = answer.headers
  if (typeof token === 'string' && typeof storageUrl === 'string') return { token, storageUrl }
  throw noLogin(url)
}

async function logIn2(http: HttpClient, settings: LoginSettings, signal?: AbortSignal): Promise<Access> {
  const { user: username, password, tenant: tenantName } = settings
  const url = keystoneUrl(settings.url, 'v2.0', 'tokens')
  const answer = await post(http, url, { auth: { passwordCredentials: { username, password }, tenantName } }, signal)
  const text = await (await checked(answer, settings)).text()
  const { access } = parse(text, url) as { access?: { token?: { id?: string }; serviceCatalog?: Service2[] } }
  const token = access?.token?.id
  if (token === undefined) throw noLogin(url)
  const endpoints = (access?.serviceCatalog ?? [])
    .filter(({ type }) => type === 'object-store')
    .flatMap((service) => service.endpoints)
  return {
    token,
    storageUrl: pick(
      endpoints.map(({ publicURL, region }) => ({ url: publicURL, region })),
      settings,
    ),
  }
}

interface Service2 {
  readonly type: string
  readonly endpoints: readonly { readonly publicURL: string; readonly region?: string }[]
}

async function logIn3(http: HttpClient, settings: LoginSettings, signal?: AbortSignal): Promise<Access> {
  const url = keystoneUrl(settings.url, 'v3', 'auth/tokens')
  const answer = await checked(await post(http, url, { auth: request3(settings) }, signal), settings)
  const { token } = parse(await answer.text(), url) as { token?: { catalog?: readonly Service3[] } }
  const id = answer.headers['x-subject-token']
  if (typeof id !== 'string') throw noLogin(url)
  const endpoints = (token?.catalog ?? [])
    .filter(({ type }) => type === 'object-store')
    .flatMap((service) => service.endpoints)
    .filter((endpoint) => endpoint.interface === 'public')
  return { token: id, storageUrl: pick(endpoints, settings) }
}

interface Service3 {
  readonly type: string
  readonly endpoints: readonly { readonly url: string; readonly region?: string; readonly interface: string }[]
}

function request3({ user, password, tenant, domain, tenantDomain, applicationCredential }: LoginSettings): object {
  if (applicationCredential) {
    const identity = { methods: ['application_credential'], application_credential: applicationCredential }
    return { identity }
  }
  const identity = { methods: ['password'], password: { user: { name: user, password, domain: domainOf(domain) } } }
  if (tenant === undefined) return { identity }
  return { identity, scope: { project: { name: tenant, domain: domainOf(tenantDomain) } } }
}

function domainOf(domain: string): { readonly id: string } | { readonly name: string } {
  return domain === 'default' ? { id: domain } : { name: domain }
}

interface Endpoint {
  readonly url: string
  readonly region?: string | undefined
}

function pick(endpoints: readonly Endpoint[], { region, tenant }: LoginSettings): string {
  const found = endpoints.find((endpoint) => region === undefined || endpoint.region === region)
  if (found) return found.url
  if (endpoints.length > 0) {
    const regions = endpoints.map((endpoint) => endpoint.region).join(', ')
    throw new TargetError('ERR_TARGET_SETTINGS', `Swift: no object store in region "${region}", but in ${regions}.`)
  }
  throw new TargetError('ERR_TARGET_SETTINGS', 'Swift: the log-in succeeded, but names no object store.', {
    help: tenant === undefined ? 'Set tenant_name to the project that has it.' : `Has "${tenant}" one?`,
  })
}

/** `https://keystone.example` and `https://keystone.example/v3` are both given. */
function keystoneUrl(url: URL, version: string, path: string): URL {
  const base = url.pathname.replace(/\/+$/, '').replace(/\/(?:auth\/)?tokens$/, '')
  const root = /\/v[23][^/]*$/.test(base) ? base : `${base}/${version}`
  return new URL(`${root}/${path}`, url)
}

function post(http: HttpClient, url: URL, content: object, signal?: AbortSignal): Promise<HttpAnswer> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return http.send({ method: 'POST', url, headers, body: Buffer.from(JSON.stringify(content)), signal })
}

async function checked(answer: HttpAnswer, { url, user, applicationCredential }: LoginSettings): Promise<HttpAnswer> {
  if (answer.status >= 200 && answer.status < 300) return answer
  const who = applicationCredential ? `application credential "${applicationCredential.id}"` : `"${user}"`
  if ([404, 405, 412].includes(answer.status)) {
    await answer.text()
    throw noLogin(url)
  }
  throw await answerError(answer, `log in at ${url.host} as ${who}`)
}

function noLogin(url: URL): TargetError {
  return new TargetError('ERR_TARGET_SETTINGS', `Swift: ${url.href} is not the address of a log-in.`, {
    help: 'Check auth_url, and auth_version when it is set.',
  })
}

function parse(text: string, url: URL): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw noLogin(url)
  }
}
