import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Service } from './tasks.js'

/** What the tests see of a made-up engine, and may change. */
export interface FakeEngine {
  readonly socket: string
  /** Labels of its swarm. */
  readonly labels: Record<string, string>
  readonly nodes: { readonly ID: string; state: string }[]
  /** By name. */
  readonly services: Map<string, Service & { PreviousSpec?: Service['Spec'] }>
  /** Names of secrets. */
  readonly secrets: string[]
  /** Headers that authenticate the caller of a registry, by method and path. */
  readonly proofs: Map<string, string>
  /** What a push ends with; undefined: it succeeds. */
  pushError: string | undefined
  /** Whether images have digests. */
  hasDigests: boolean
  /** The result of an update. */
  update: 'completed' | 'rollback_completed' | 'rollback_paused'
  close(): Promise<void>
}

/** An engine that is the only manager node of a swarm, as far as the runtime asks it; nothing runs in it. */
export async function startFakeEngine(nodes = 2): Promise<FakeEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-engine-'))
  const socket = join(folder, 'docker.sock')
  let number = 0
  const fake: FakeEngine = {
    socket,
    labels: {},
    nodes: Array.from({ length: nodes }, (_, at) => ({ ID: `n${at + 1}`, state: 'ready' })),
    services: new Map(),
    secrets: [],
    proofs: new Map(),
    pushError: undefined,
    hasDigests: true,
    update: 'completed',
    async close() {
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true })
    },
  }
  const pushed = new Set<string>()

  const server = createServer((request, response) => {
    void (async () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://engine')
      const { method = '' } = request
      const proof = request.headers['x-registry-auth']
      if (proof !== undefined) fake.proofs.set(`${method} ${path}`, String(proof))
      const body: unknown = method === 'POST' ? JSON.parse((await text(request)) || 'null') : undefined
      const answer = answerTo(`${method} ${path}`, query, body)
      response.statusCode = answer === undefined ? 404 : 200
      response.end(`${JSON.stringify(answer ?? { message: 'not found' })}\n`)
    })()
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return fake

  function answerTo(call: string, query: URLSearchParams, body: unknown): unknown {
    const [, image] = /^GET \/images\/(.+)\/json$/.exec(call) ?? []
    const [, pushes] = /^POST \/images\/(.+)\/push$/.exec(call) ?? []
    const [, updates] = /^POST \/services\/(.+)\/update$/.exec(call) ?? []
    const [, name] = /^GET \/services\/(.+)$/.exec(call) ?? []
    if (image !== undefined) {
      const repository = image.slice(0, image.lastIndexOf(':'))
      const digests = pushed.has(repository) && fake.hasDigests ? [`${repository}@sha256:${'1'.repeat(64)}`] : []
      return { Id: 'sha256:2', RepoDigests: digests }
    }
    if (pushes !== undefined) {
      if (fake.pushError === undefined) pushed.add(pushes)
      return fake.pushError === undefined ? { status: 'pushed' } : { error: fake.pushError }
    }
    if (updates !== undefined) return update(updates, query, body as Service['Spec'])
    if (name !== undefined) return fake.services.get(name)
    switch (call) {
      case 'GET /info':
        return { Name: 'node1', Swarm: { LocalNodeState: 'active', ControlAvailable: true, NodeID: 'n1' } }
      case 'GET /swarm':
        return { ID: 's', Version: { Index: 1 }, Spec: { Labels: fake.labels } }
      case 'GET /nodes':
        return fake.nodes.map(({ ID, state }) => ({
          ID,
          Spec: { Role: 'worker', Availability: 'active' },
          Description: { Hostname: ID.replace('n', 'node'), Resources: { NanoCPUs: 1e9 } },
          Status: { State: state, Addr: '127.0.0.1' },
        }))
      case 'GET /tasks':
        return [...fake.services.values()].flatMap(({ ID, Spec }) =>
          Array.from({ length: Spec.Mode.Replicated.Replicas }, (_, at) => ({
            ID: `${ID}-${at}`,
            ServiceID: ID,
            NodeID: fake.nodes[at % fake.nodes.length]?.ID,
            DesiredState: 'running',
            Spec: { ForceUpdate: Spec.TaskTemplate.ForceUpdate },
            Status: { State: 'running', Timestamp: new Date().toISOString() },
          })),
        )
      case 'GET /secrets':
        return []
      case 'POST /secrets/create':
        fake.secrets.push((body as { readonly Name: string }).Name)
        return { ID: `secret${++number}` }
      case 'POST /services/create': {
        const Spec = body as Service['Spec']
        fake.services.set(Spec.Name, { ID: Spec.Name, Version: { Index: 1 }, Spec })
        return { ID: Spec.Name }
      }
    }
    return undefined
  }

  /** As the engine does: what it goes back to is what was there before. */
  function update(id: string, query: URLSearchParams, Spec: Service['Spec']): unknown {
    const found = fake.services.get(id)
    if (!found) return undefined
    const isBack = query.get('rollback') === 'previous'
    const outcome = isBack ? 'rollback_completed' : fake.update
    const isNew = outcome === 'completed'
    const next = isNew ? Spec : isBack ? (found.PreviousSpec ?? found.Spec) : found.Spec
    fake.services.set(id, {
      ...found,
      Version: { Index: found.Version.Index + 1 },
      Spec: next,
      ...(isNew && { PreviousSpec: found.Spec }),
      UpdateStatus: { State: outcome, Message: 'update rolled back due to failure of task abc' },
    })
    return {}
  }
}
