import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { ensureSecretFile } from '../files/secret-file.js'
import { sleepAfterMs } from '../instances/sleep-after.js'
import { failureOf } from '../system/failure.js'
import { stateOf, type ProcessIdentity } from '../system/process-identity.js'
import { chooseSnippets, without, type ChosenSnippets } from './choose-snippets.js'
import { desiredSites, type DesiredSites } from './desired-sites.js'
import { createGenerations } from './generations.js'
import { hashOf } from './hash.js'
import { createHttpd } from './httpd/create-httpd.js'
import { upstreamOf } from './manager-upstream.js'
import { createNginx } from './nginx/create-nginx.js'
import type { ProxySettings } from '../settings/settings.js'
import { findsGeneration, foreignSites } from './probe.js'
import { newProblems, notRunning, placeOf, snippetProblems, type Problem } from './problem.js'
import type { ProxyCheck, PublishOptions, PublishResult } from './proxies.js'
import { readState, writeState, type ProxyState } from './proxy-state.js'
import type { ReverseProxy, ReverseProxyPlugin } from './reverse-proxy.js'
import type { Place, Publication, Upstream } from './site.js'

export interface Published {
  readonly state: PublishResult['state']
  /** Problems that were not there before. */
  readonly news: readonly Problem[]
}

/** One look at the settings, and what is done with it. The lock `proxy` is held. */
export interface Publisher {
  publish(options: PublishOptions): Promise<Published>
  check(): Promise<ProxyCheck>
  /** Whether the program runs now. */
  isRunning(): Promise<boolean>
}

function proxyOf({ plugins }: Pick<ManagerContext, 'plugins'>, settings: ProxySettings, secret: string): ReverseProxy {
  const builtIn = {
    nginx: () => createNginx({ settings, secret }),
    httpd: () => createHttpd({ settings, secret }),
  }
  if (settings.type === 'nginx' || settings.type === 'httpd') return builtIn[settings.type]()
  const plugin = plugins.load('reverseProxy', settings.type, 'APPS_HTTPSERVER') as ReverseProxyPlugin
  return plugin.make({ settings, secret, builtIn })
}

export function createPublisher(context: ManagerContext, takeOverMs: number): Publisher {
  const { proxy: settings } = context.settings.global
  const { folder } = settings
  const secret = ensureSecretFile(context.home.proxySecret).reveal()
  const generations = createGenerations(folder)
  const proxy = proxyOf(context, settings, secret)
  const before = readState(folder)

  return {
    async publish(options) {
      try {
        return await publish(options)
      } catch (error) {
        // On a full disk the history has it.
        const state = { ...readState(folder), failure: failureOf(error).message }
        await writeState(folder, state).catch(() => undefined)
        throw error
      }
    },

    isRunning: async () => (await proxy.workers()) !== undefined,

    async check() {
      const { desired } = await look(before.manager, before.waker)
      const { refusal, refused, publication, generation } = await choose(desired, {})
      const isDue = !refusal && !(await isInForce(publication))
      generations.remove(generation)
      return {
        isDue,
        output: refusal?.output ?? '',
        refusal: refusal && `${refusal.message}${placeOf(refusal)}`,
        problems: [...desired.problems, ...snippetProblems(desired.publication, refused)],
      }
    },
  }

  async function publish({
    manager: listen,
    waker: wakes,
    repair = false,
    retry = false,
  }: PublishOptions): Promise<Published> {
    const manager = listen === undefined ? before.manager : upstreamOf(listen)
    const waker = wakes === undefined ? before.waker : upstreamOf(wakes)
    followRenames()
    const { desired, fingerprint } = await look(manager, waker)
    const isSettled = before.reloaded && before.failure === '' && generations.live === before.generation
    const isAsked = retry && Object.keys(before.refused).length > 0
    if (isSettled && fingerprint === before.fingerprint && !isAsked) {
      const isGood = !repair || (await isInForce(without(desired.publication, before.refused)))
      if (isGood) return { state: 'unchanged', news: [] }
    }
    const chosen = await choose(desired, retry ? {} : before.refused)
    const { refusal, refused, publication, generation } = chosen
    if (refusal) throw refusedError(refusal.message + placeOf(refusal), refusal.output)
    const state: ProxyState = {
      ...before,
      failure: '',
      fingerprint,
      refused,
      names: namesOf(desired),
      sites: hashesOf(publication),
      problems: [...desired.problems, ...snippetProblems(desired.publication, refused)],
      ...(manager && { manager }),
      ...(waker && { waker }),
      sleepers: idsOf(publication, ({ waker: wakes }) => wakes !== undefined),
      open: idsOf(publication, ({ upstream }) => upstream !== undefined),
      closed: idsOf(publication, ({ upstream }) => upstream === undefined),
    }
    if (before.reloaded && (await isInForce(publication))) {
      generations.remove(generation)
      const problems = [...state.problems, ...before.problems.filter(({ kind, host }) => kind === 'probe' && host)]
      await writeState(folder, { ...state, problems })
      return { state: 'unchanged', news: newProblems(problems, before.problems) }
    }
    const problems = await bringIntoForce(generation, publication, state, repair)
    return { state: 'published', news: newProblems(problems, before.problems) }
  }

  async function look(manager: Upstream | undefined, waker: Upstream | undefined) {
    const desired = desiredSites(context, manager, waker && { upstream: waker, instances: await sleepers(context) })
    return { desired, fingerprint: hashOf(JSON.stringify([settings, secret, desired])) }
  }

  /** Writes generations until one is good, which stays. */
  async function choose(
    { publication }: DesiredSites,
    known: ProxyState['refused'],
  ): Promise<ChosenSnippets & { readonly generation: string }> {
    const version = await proxy.version()
    let generation = ''
    const chosen = await chooseSnippets(publication, known, async (tried) => {
      if (generation !== '') generations.remove(generation)
      generation = `g-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`
      const path = generations.path(generation)
      await generations.write(generation, proxy.render(tried, { folder: path, id: generation }, version))
      return {
        refusal: await proxy.test(path),
        idOf: (file) => (file.startsWith(`${path}/snippets/`) ? /(\w+)\.conf$/.exec(file)?.[1] : undefined),
      }
    }).catch((error: unknown) => {
      generations.remove(generation)
      throw error
    })
    if (chosen.refusal) generations.remove(generation)
    return { ...chosen, generation }
  }

  /** Whether the files in force are these, to the letter. */
  async function isInForce(publication: Publication): Promise<boolean> {
    const { generation: id } = before
    if (id === '' || generations.live !== id) return false
    const version = await proxy.version()
    return generations.isSame(id, proxy.render(publication, { folder: generations.path(id), id }, version))
  }

  /** @returns all problems, with those that only the running program shows */
  async function bringIntoForce(
    generation: string,
    publication: Publication,
    wanted: ProxyState,
    repair: boolean,
  ): Promise<readonly Problem[]> {
    const previous = generations.live
    const retiring = await proxy.workers()
    const published = context.clock().toISOString()
    let state: ProxyState = { ...wanted, generation, published, retiring: retiring ?? [], reloaded: false }
    // A process that is killed from here on has not published: the next one does it again.
    await writeState(folder, state)
    generations.swap(generation)
    let found: readonly Problem[]
    if (retiring) {
      try {
        await proxy.reload()
        const instead = await findsGeneration(publication, generation, {
          timeoutMs: takeOverMs,
          isOver: () => retiring.every((one) => stateOf(one) === 'dead' || (proxy.isEnding(one) ?? true)),
        })
        if (instead !== undefined) throw notTaken(instead)
        state = { ...state, retiring: [...retiring, ...(await forkedLate(retiring))] }
      } catch (error) {
        await putBack(previous, state)
        throw failureOf(error)
      }
      found = await probe(publication, state, repair)
    } else {
      found = [notRunning(proxy.type)]
    }
    const problems = [...state.problems, ...found]
    await writeState(folder, { ...state, problems, reloaded: true })
    generations.keep([generation, ...(previous === undefined ? [] : [previous])])
    return problems
  }

  /** Workers that end and were not listed: until httpd has reloaded its configuration, it starts others of the former one. */
  async function forkedLate(listed: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> {
    const workers = (await proxy.workers()) ?? []
    return workers.filter((one) => !listed.some(({ pid }) => pid === one.pid) && proxy.isEnding(one))
  }

  /** Asks all sites, or those that are others than before. */
  async function probe(
    publication: Publication,
    { generation, sites }: ProxyState,
    all: boolean,
  ): Promise<readonly Problem[]> {
    const isSame = (host: string) => !all && sites[host] === before.sites[host]
    const asked = publication.sites.filter(({ host }) => !isSame(host))
    const foreign = await foreignSites(publication, asked, generation)
    return [
      ...before.problems.filter(({ kind, host }) => kind === 'probe' && host !== undefined && isSame(host)),
      ...foreign.map(({ host }): Problem => {
        const message = `Another configuration on this machine answers for ${host}, not the one that the manager publishes.`
        return { kind: 'probe', host, message }
      }),
    ]
  }

  /** The generation before; the failure that is why goes before one of this. */
  async function putBack(previous: string | undefined, state: ProxyState): Promise<void> {
    generations.swap(previous)
    await proxy.reload().catch(() => undefined)
    await writeState(folder, { ...before, generation: previous ?? '', retiring: state.retiring, reloaded: false })
    generations.remove(state.generation)
  }

  /** The snippet of an instance has its name. */
  function followRenames(): void {
    for (const { id, name } of context.registry.instances()) {
      const old = before.names[id]
      if (old === undefined || old === name) continue
      const [from = '', to = ''] = [old, name].map((one) => join(folder, settings.type, 'snippets', `${one}.conf`))
      if (existsSync(from) && !existsSync(to)) renameSync(from, to)
    }
  }

  function refusedError(why: string, output: string): ManagerError {
    return new ManagerError('ERR_FAILED', `${proxy.type} refuses the configuration: ${why}.`, {
      help: 'Nothing was changed: the previous configuration is still in use.',
      command: 'proxy check',
      output,
    })
  }

  function notTaken(instead: string): ManagerError {
    return new ManagerError('ERR_FAILED', `${proxy.type} did not load the new configuration: ${instead}.`, {
      help: 'The previous configuration is in use again. Check the log of the reverse proxy and APPS_PROXYCONFIG.',
      command: 'proxy check',
    })
  }
}

/** Ids of those that are put to sleep, and of those that sleep. */
async function sleepers(context: ManagerContext): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const instance of context.registry.instances()) {
    // One whose settings cannot be read does not sleep.
    const ms = await sleepAfterMs(context, instance).catch(() => 0)
    if (ms > 0 || instance.observed === 'asleep') found.add(instance.id)
  }
  return found
}

function namesOf({ publication }: DesiredSites): ProxyState['names'] {
  const places = publication.sites.flatMap((site) => site.places)
  return Object.fromEntries(places.flatMap(({ instance }) => (instance ? [[instance.id, instance.name]] : [])))
}

/** Ids of the instances of such places. */
function idsOf({ sites }: Publication, isOne: (place: Place) => boolean): readonly string[] {
  const places = sites.flatMap((site) => site.places).filter(isOne)
  return [...new Set(places.flatMap(({ instance }) => (instance ? [instance.id] : [])))]
}

function hashesOf({ sites }: Publication): ProxyState['sites'] {
  return Object.fromEntries(sites.map((site) => [site.host, hashOf(JSON.stringify(site)).slice(0, 16)]))
}
