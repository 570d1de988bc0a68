import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { stateOf } from '../operation/process-identity.js'
import { recordHistory } from '../actions/record-history.js'
import type { ManagerContext } from '../context.js'
import { failureOf } from '../failure.js'
import { lockOptionsOf } from '../operation/lock-options.js'
import type { Caller } from '../operation/operation.js'
import { chooseSnippets, type ChosenSnippets } from './choose-snippets.js'
import { createNginx } from './nginx/create-nginx.js'
import { createHttpd } from './httpd/create-httpd.js'
import { desiredSites, hashOf, type Desired } from './desired-sites.js'
import { drained } from './drain.js'
import { createGenerations, type Generations } from './generations.js'
import { upstreamOf } from './manager-upstream.js'
import { findsGeneration, foreignSites } from './probe.js'
import type { Problem } from './problem.js'
import type { Proxies, PublishOptions, PublishResult } from './proxies.js'
import { ensureProxySecret } from './proxy-secret.js'
import { readState, writeState, type ProxyState } from './proxy-state.js'
import type { ReverseProxy } from './reverse-proxy.js'
import type { Publication } from './site.js'

/** Others publish meanwhile: at most so long is waited for them, in ms. */
const waitMs = 120_000

interface Published {
  readonly state: PublishResult['state']
  /** Problems that were not there before. */
  readonly news: readonly Problem[]
}

export interface ProxiesOptions {
  /** How long the program may take to come with a new configuration. Default: 15 s. */
  readonly takeOverMs?: number
}

export function createProxies(context: () => ManagerContext, { takeOverMs = 15_000 }: ProxiesOptions = {}): Proxies {
  const settings = () => context().settings.global.proxy
  const generations = () => createGenerations(settings().folder)

  return {
    async publish(caller, options = {}) {
      if (!settings().enabled) return { state: 'off', warnings: [] }
      const { locks, clock } = context()
      const lock = lockOptionsOf({ ...caller, waitMs: Math.max(waitMs, caller.waitMs ?? 0) }, 'publication', clock())
      return locks.with(['proxy'], lock, async () => {
        const { state, news } = await publish(options)
        for (const { kind, instance, message } of news)
          // An operator's own file: others do not see it.
          if (kind === 'snippet' && instance)
            await recordHistory(context(), caller, { action: 'proxy publish', instance }, () => ({
              message,
              exitCode: 1,
            }))
        return { state, warnings: news.map(({ message }) => message) }
      })
    },
    drained: (options) => (settings().enabled ? drained(settings().folder, options) : Promise.resolve(true)),
    async check() {
      const { desired, state } = look({})
      const proxy = reverseProxy()
      const { refusal, publication, refused } = await choose(proxy, desired.publication, {})
      return {
        refusal: refusal && `${refusal.message}${placeOf(refusal)}`,
        output: refusal?.output ?? '',
        problems: [...desired.problems, ...snippetProblems(desired.publication, refused)],
        isDue: !refusal && !isInForce(proxy, publication, state, await proxy.version()),
      }
    },
    status() {
      const { enabled, type, folder } = settings()
      const { generation, published, problems, ports } = readState(folder)
      return { enabled, type, generation, published, problems, ports }
    },
  }

  /** The lock is held. */
  async function publish(options: PublishOptions): Promise<Published> {
    const { folder } = settings()
    const { desired, state, fingerprint, ports, manager } = look(options)
    const isAsked = isSamePorts(ports, state.ports) && state.manager === manager
    if (
      !options.repair &&
      fingerprint === state.fingerprint &&
      state.reloaded &&
      generations().live === state.generation
    ) {
      if (!isAsked) await writeState(folder, { ...state, ports, ...(manager && { manager }) })
      return { state: 'unchanged', news: [] }
    }
    const proxy = reverseProxy()
    mkdirSync(join(folder, 'generations'), { recursive: true, mode: 0o700 })
    const chosen = await choose(proxy, desired.publication, options.repair ? {} : state.refused)
    const { refusal, publication, refused } = chosen
    if (refusal)
      throw new ManagerError(
        'ERR_FAILED',
        `${proxy.type} refuses the configuration: ${refusal.message}${placeOf(refusal)}.`,
        {
          help: 'Nothing was changed: what was published before is still served.',
          command: 'proxy check',
          output: refusal.output,
        },
      )
    const problems = [...desired.problems, ...snippetProblems(desired.publication, refused)]
    const next: ProxyState = {
      ...{ ...state, fingerprint, ports, refused, problems, names: namesOf(desired) },
      ...(manager && { manager }),
    }
    const version = await proxy.version()
    if (isInForce(proxy, publication, state, version) && state.reloaded) {
      await writeState(folder, next)
      return { state: 'unchanged', news: newOf(problems, state.problems) }
    }
    const found = await bringIntoForce(proxy, publication, version, next)
    return { state: 'published', news: newOf([...problems, ...found], state.problems) }
  }

  function look(options: PublishOptions) {
    const { folder, type } = settings()
    const state = readState(folder)
    const { registry, home } = context()
    const ports = Object.fromEntries(
      Object.entries({ ...state.ports, ...options.ports }).filter(
        (entry): entry is [string, number] =>
          entry[1] !== null && ![undefined, entry[1]].includes(registry.byId(entry[0])?.port),
      ),
    )
    const manager = options.manager === undefined ? state.manager : upstreamOf(options.manager)
    followRenames(state)
    const desired = desiredSites(context(), { manager, ports })
    const fingerprint = hashOf(JSON.stringify([type, ensureProxySecret(home).reveal(), desired]))
    return { desired, state, fingerprint, ports, manager }
  }

  function reverseProxy(): ReverseProxy {
    const options = { settings: settings(), secret: () => ensureProxySecret(context().home).reveal() }
    return options.settings.type === 'nginx' ? createNginx(options) : createHttpd(options)
  }

  async function choose(
    proxy: ReverseProxy,
    publication: Publication,
    known: ProxyState['refused'],
  ): Promise<ChosenSnippets> {
    const all = generations()
    const version = await proxy.version()
    return chooseSnippets(publication, known, async (chosen) => {
      const name = newName('staged')
      const folder = all.path(name)
      try {
        all.write(name, proxy.render(chosen, { folder, id: name }, version))
        const refusal = await proxy.test(folder)
        return {
          refusal,
          idOf: (file) => (file.startsWith(`${folder}/snippets/`) ? /(\w+)\.conf$/.exec(file)?.[1] : undefined),
        }
      } finally {
        all.remove(name)
      }
    })
  }

  /** Also when the link was changed by somebody. */
  function isInForce(proxy: ReverseProxy, publication: Publication, state: ProxyState, version: string): boolean {
    const all = generations()
    const { generation: id } = state
    if (id === '' || all.live !== id) return false
    return all.isSame(id, proxy.render(publication, { folder: all.path(id), id }, version))
  }

  /** @returns problems that only the running program shows */
  async function bringIntoForce(
    proxy: ReverseProxy,
    publication: Publication,
    version: string,
    next: ProxyState,
  ): Promise<readonly Problem[]> {
    const { folder } = settings()
    const all = generations()
    const before = all.live
    const id = newName('g')
    const retiring = await proxy.workers()
    all.write(id, proxy.render(publication, { folder: all.path(id), id }, version))
    const published = context().clock().toISOString()
    const state = { ...next, generation: id, previous: before ?? '', published, retiring: retiring ?? [] }
    // Whoever is killed from here on has not published: the next one does it again.
    await writeState(folder, { ...state, reloaded: false })
    all.swap(id)
    if (!retiring) {
      await writeState(folder, { ...state, reloaded: true })
      all.keep([id, ...(before === undefined ? [] : [before])])
      const message = `${proxy.type} does not run; what is published is served when it is started.`
      return [{ kind: 'probe', message }]
    }
    try {
      await proxy.reload()
      const instead = await findsGeneration(publication, id, {
        timeoutMs: takeOverMs,
        isOver: () => retiring.every((one) => stateOf(one) === 'dead' || (proxy.isEnding?.(one) ?? true)),
      })
      if (instead !== undefined)
        throw new ManagerError('ERR_FAILED', `${proxy.type} did not come with the new configuration: ${instead}.`, {
          help: 'Its log says why; see also whether its main file is the one in APPS_PROXYCONFIG.',
          command: 'proxy check',
        })
    } catch (error) {
      await putBack(proxy, all, before, state, id)
      throw failureOf(error)
    }
    const foreign = await foreignSites(publication, publication.sites, id)
    const found = foreign.map(({ host }): Problem => ({
      kind: 'probe',
      message: `${host} is answered by another configuration of this machine, not by what the manager publishes.`,
    }))
    await writeState(folder, { ...state, problems: [...state.problems, ...found], reloaded: true })
    all.keep([id, ...(before === undefined ? [] : [before])])
    return found
  }

  /** The generation before; the failure that is why goes before one of this. */
  async function putBack(
    proxy: ReverseProxy,
    all: Generations,
    before: string | undefined,
    state: ProxyState,
    id: string,
  ): Promise<void> {
    all.swap(before)
    await proxy.reload().catch(() => undefined)
    await writeState(settings().folder, {
      ...state,
      ...{ fingerprint: '', generation: before ?? '', previous: '', reloaded: false },
    })
    all.remove(id)
  }

  /** The snippet of an instance has its name. */
  function followRenames({ names }: ProxyState): void {
    const { folder, type } = settings()
    for (const { id, name } of context().registry.instances()) {
      const old = names[id]
      if (old === undefined || old === name) continue
      const [from, to] = [old, name].map((one) => join(folder, type, 'snippets', `${one}.conf`)) as [string, string]
      if (existsSync(from) && !existsSync(to)) renameSync(from, to)
    }
  }
}

function newName(prefix: string): string {
  return `${prefix}-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`
}

function namesOf({ publication }: Desired): Readonly<Record<string, string>> {
  const places = publication.sites.flatMap((site) => site.places)
  return Object.fromEntries(places.flatMap(({ instance }) => (instance ? [[instance.id, instance.name]] : [])))
}

function snippetProblems({ sites }: Publication, refused: ProxyState['refused']): readonly Problem[] {
  const found = new Map<string, Problem>()
  for (const { instance, snippet } of sites.flatMap(({ places }) => places)) {
    const why = snippet && refused[hashOf(snippet.text)]
    if (!instance || !why) continue
    const { message, line } = why
    found.set(instance.id, {
      ...{ kind: 'snippet', instance, file: snippet.file },
      message: `The snippet of "${instance.name}" is left out: ${message}${placeOf({ file: snippet.file, line })}.`,
      ...(line !== undefined && { line }),
    })
  }
  return [...found.values()]
}

function placeOf({ file, line }: { readonly file?: string | undefined; readonly line?: number | undefined }): string {
  return file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`
}

function newOf(problems: readonly Problem[], known: readonly Problem[]): readonly Problem[] {
  const old = new Set(known.map(({ message }) => message))
  return problems.filter(({ message }) => !old.has(message))
}

function isSamePorts(a: ProxyState['ports'], b: ProxyState['ports']): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
