import { describe, expect, it } from 'vitest'
import { ManagerError } from '../../errors.js'
import type { RuntimeRow } from './built-in.js'
import { createMemoryMachine, createMemoryRuntime } from './memory-runtime.js'
import type { Settings } from '../settings/settings.js'
import type { Plugins } from '../system/plugins.js'
import type { Runtime } from './runtime.js'
import { createRuntimes } from './runtimes.js'

const ran = () => ({ terminate() {}, kill() {} })

/** What is asked of a runtime that says `started` for all it is asked about. */
function recording(name: string): { readonly row: RuntimeRow; readonly asked: string[]; readonly made: () => number } {
  const asked: string[] = []
  let made = 0
  const runtime: Runtime = {
    ...createMemoryRuntime(createMemoryMachine(ran)),
    name,
    observe: async ({ id }) => (asked.push(id), { state: 'started', restarts: 0, pids: [] }),
    async observeAll(refs) {
      asked.push(refs.map(({ id }) => id).join(' '))
      return new Map(refs.map(({ id }) => [id, 'started']))
    },
    usageAll: async (refs) => new Map(refs.map(({ id }) => [id, { memoryMb: 7, cpuSeconds: new Map() }])),
    processesBelow: async () =>
      new Map([
        [`left by ${name}`, []],
        ['left by both', []],
      ]),
  }
  const make = () => {
    made++
    return runtime
  }
  return { row: { runs: ['node'], make }, asked, made: () => made }
}

const failure = new ManagerError('ERR_STATE', 'The engine does not run.')
const failing: Runtime = {
  ...createMemoryRuntime(createMemoryMachine(ran)),
  name: 'failing',
  probe: () => Promise.reject(failure),
  observe: () => Promise.reject(failure),
  observeAll: () => Promise.reject(failure),
  usageAll: () => Promise.reject(failure),
}

function runtimes(rows: Readonly<Record<string, string>> = {}) {
  const [one, two] = [recording('process'), recording('two')]
  const table = { process: one.row, two: two.row, failing: { runs: ['webapp'] as const, make: () => failing } }
  const settings = () => ({ global: { runtimePackages: ['own-three', 'own-missing'] } }) as unknown as Settings
  const plugins: Plugins = {
    load(kind, name, setting) {
      if (name === 'own-three') return { runs: ['node'], make: () => ({ ...failing, name }) }
      throw new ManagerError('ERR_SETTINGS', `${setting} names the package "${name}", which is not installed.`)
    },
  }
  return {
    one,
    two,
    runtimes: createRuntimes({
      table,
      plugins,
      parts: { settings, instances: '/srv/apps/instances' },
      nameOf: (id) => rows[id],
    }),
  }
}

const ref = (id: string, runtime?: string) => ({ id, folder: `/${id}`, ...(runtime !== undefined && { runtime }) })

describe('runtimes', () => {
  it('of packages are those of APPS_RUNTIMES; one that cannot be loaded says so and disturbs no other', async () => {
    const { runtimes: all } = runtimes()
    expect(all.names).toEqual(['process', 'two', 'failing', 'own-three', 'own-missing'])
    expect([all.named('own-three').name, all.kinds('own-three')]).toEqual(['own-three', ['node']])
    expect(() => all.named('own-other')).toThrow('The runtime "own-other" is not available here.')
    expect(await all.probe('own-missing')).toEqual({
      ok: false,
      message: 'APPS_RUNTIMES names the package "own-missing", which is not installed.',
    })
    expect(all.kinds('own-missing')).toEqual([])
    expect([...(await all.processesBelow('/home')).keys()]).toContain('left by process')
  })

  it('are made once, when they are first used', async () => {
    const { one, two, runtimes: all } = runtimes({ a: 'process' })
    expect([one.made(), two.made()]).toEqual([0, 0])
    expect(all.of({ id: 'a' })).toBe(all.named('process'))
    expect([one.made(), two.made()]).toEqual([1, 0])
  })

  it('are found by what the row of an instance says; what has no row runs as processes', () => {
    const { runtimes: all } = runtimes({ a: 'two' })
    expect(all.of({ id: 'a' }).name).toBe('two')
    expect(all.of({ id: 'a', runtime: 'process' }).name).toBe('process')
    expect(all.of({ id: 'gone' }).name).toBe('process')
    expect([all.kinds('process'), all.kinds('nothing')]).toEqual([['node'], []])
  })

  it('are asked once each for all of their instances', async () => {
    const { one, two, runtimes: all } = runtimes({ a: 'process', b: 'two', c: 'process' })
    const seen = await all.observeAll([ref('a'), ref('b'), ref('c'), ref('d', 'two')])
    expect(Object.fromEntries(seen)).toEqual({ a: 'started', b: 'started', c: 'started', d: 'started' })
    expect([one.asked, two.asked]).toEqual([['a c'], ['b d']])
  })

  it('that are not there, or fail, do not hide the others', async () => {
    const { runtimes: all } = runtimes({ a: 'process', b: 'toString', c: 'failing' })
    const refs = [ref('a'), ref('b'), ref('c')]
    expect(Object.fromEntries(await all.observeAll(refs))).toEqual({ a: 'started', b: 'unknown', c: 'unknown' })
    expect([...(await all.usageAll(refs)).keys()]).toEqual(['a'])
    expect(await Promise.all(refs.map((one) => all.observe(one)))).toMatchObject([
      { state: 'started' },
      { state: 'unknown', pids: [] },
      { state: 'unknown' },
    ])
    expect(() => all.of({ id: 'b' })).toThrow('The runtime "toString" is not available here.')
    expect(await all.probe('failing')).toEqual({ ok: false, message: 'The engine does not run.' })
    expect((await all.probe('nothing')).ok).toBe(false)
    expect((await all.probe('process')).ok).toBe(true)
  })

  it('return what is left below a folder, the first one that finds it first', async () => {
    const { runtimes: all } = runtimes()
    const found = await all.processesBelow('/instances')
    expect([...found].map(([id, { runtime }]) => [id, runtime.name])).toEqual([
      ['left by process', 'process'],
      ['left by both', 'process'],
      ['left by two', 'two'],
    ])
  })
})
