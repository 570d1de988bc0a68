import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { ServiceRouter } from '../routing/service-router.js'
import type { ServiceRouterOptions } from '../routing/service-router.js'
import { normalisePrefixes } from './address.js'
import type { Target } from './address.js'
import { serveRoutes } from './serve-routes.js'

interface Found {
  readonly target: Target
  readonly route?: string | undefined
  readonly params?: unknown
}

/** What a router takes an address for. */
function createFinder(options: Partial<ServiceRouterOptions> = {}): (path: string) => Promise<Found> {
  let target: Target
  const router = new ServiceRouter({ prefixes: ['/base'], ...options })
  const unknown = { name: 'unknown', path: '/{*below}', handler: () => void (target = { kind: 'none' }) }
  router.serveAll([...serveRoutes((_, read) => void (target = read(() => false))), unknown])
  const answer = router.routes()
  return async (path) => {
    target = { kind: 'none' }
    const context = { path, method: 'GET', request: {} } as Context
    await answer(context, async () => {})
    return { target, route: context['routerName'] as string | undefined, params: context['params'] }
  }
}

describe('readTarget()', () => {
  it.each([
    ['', { kind: 'info' }],
    ['/', { kind: 'info' }],
    ['/A', { kind: 'object', object: 'A' }],
    ['/A/_', { kind: 'object', object: 'A' }],
    ['/A/0/', { kind: 'object', object: 'A' }],
    ['/A/00', { kind: 'row', object: 'A', rowId: '00' }],
    ['/%41/a%2Fb%20c', { kind: 'row', object: 'A', rowId: 'a/b c' }],
    ['/A/a+b', { kind: 'row', object: 'A', rowId: 'a+b' }],
    ['/A/', { kind: 'object', object: 'A' }],
    ['/A//', { kind: 'object', object: 'A' }],
    ['/A/1/', { kind: 'row', object: 'A', rowId: '1' }],
    ['/A/1/x', { kind: 'none' }],
    ['//A', { kind: 'none' }],
    ['/A/1//', { kind: 'none' }],
    ['//', { kind: 'none' }],
    ['/_index', { kind: 'index' }],
    ['/A/_index/', { kind: 'index', object: 'A' }],
    ['/_doc', { kind: 'view', parameter: '_doc', value: 'true' }],
    ['/A/_count', { kind: 'view', object: 'A', parameter: '_count', value: 'true' }],
    ['/A/_metadata', { kind: 'view', object: 'A', parameter: '_metadata', value: 'true' }],
    ['/A/crosstab:a%20b', { kind: 'view', object: 'A', parameter: '_crosstab', value: 'a b' }],
    ['/A/_nope', { kind: 'none' }],
    ['/A/crosstab:', { kind: 'none' }],
    ['/A/1/_count', { kind: 'none' }],
    ['/A//action:x', { kind: 'action', object: 'A', name: 'x' }],
    ['/A/_/action:x/', { kind: 'action', object: 'A', name: 'x' }],
    ['/A/a:b/action:x:y', { kind: 'action', object: 'A', rowId: 'a:b', name: 'x:y' }],
    ['/A/action%3Ax', { kind: 'row', object: 'A', rowId: 'action:x' }],
    ['/A/%5Fkey', { kind: 'row', object: 'A', rowId: '_key' }],
    ['/A/%2e%2E', { kind: 'row', object: 'A', rowId: '..' }],
    ['/A/_key/a%2Cb,c', { kind: 'key', object: 'A', key: ['a,b', 'c'] }],
    ['/A/_key/_metadata', { kind: 'key', object: 'A', key: ['_metadata'] }],
    ['/A/_key/action:x', { kind: 'action', object: 'A', rowId: '_key', name: 'x' }],
    ['/A/_x/_metadata', { kind: 'none' }],
    ['/A//_metadata', { kind: 'view', object: 'A', parameter: '_metadata', value: 'true' }],
    ['/A/_/_document/f', { kind: 'none' }],
    ['/A/1/_document/f%2F', { kind: 'document', object: 'A', rowId: '1', field: 'f/' }],
    ['/A/_COUNT', { kind: 'none' }],
    ['/_task/crosstab:x', { kind: 'task', id: 'crosstab:x' }],
    ['/_index/x', { kind: 'none' }],
    ['/%5Findex', { kind: 'index' }],
    ['/%5Fdoc/', { kind: 'view', parameter: '_doc', value: 'true' }],
    ['/%5Ftask/7', { kind: 'task', id: '7' }],
    ['/%5Fnope', { kind: 'none' }],
  ])('%s', async (path, expected) => {
    expect((await createFinder()(`/base${path}`)).target).toEqual(expected)
  })

  it.each(['/%zz', '/A/%C3', '/A/1/action:%', '/A/_key/a,%ff'])('%s is refused', async (path) => {
    await expect(createFinder()(`/base${path}`)).rejects.toThrow('is not percent-encoded UTF-8')
  })
})

describe('a router without a prefix', () => {
  it.each([
    ['/', 'info'],
    ['//', 'unknown'],
    ['//A', 'unknown'],
    ['/A//', 'object'],
    ['*', undefined],
  ])('%s is %s', async (path, route) => {
    expect((await createFinder({ prefixes: [''] })(path)).route).toBe(route)
  })
})

describe('the fast path of a router', () => {
  const parts = [
    'A',
    'json',
    '1',
    '0',
    '_',
    '00',
    '',
    'a+b',
    'a.b',
    'a%2Fb',
    '%5Fkey',
    '_key',
    '_index',
    '_count',
    'action:x',
    'a:b',
  ]

  it.each([
    { prefixes: ['/base'] },
    { prefixes: ['/longer/base', '/base'] },
    { prefixes: ['/base/json', '/base'] },
    { prefixes: ['/:tenant'] },
  ])('finds what all routes find with $prefixes', async ({ prefixes }) => {
    const fast = createFinder({ prefixes, fastPath: true })
    const slow = createFinder({ prefixes })
    const names = new Set()
    for (const base of ['/base', '/longer/base', '/Base', ''])
      for (const path of [0, 1, 2, 3].flatMap((length) => pathsOf(parts, length)))
        for (const end of ['', '/']) {
          const found = await slow(base + path + end)
          expect(await fast(base + path + end), base + path + end).toEqual(found)
          names.add(found.route)
        }
    expect([...names]).toEqual(expect.arrayContaining(['info', 'object', 'row', 'key', 'action', 'unknown', undefined]))
  })
})

/** All paths with this number of parts. */
function pathsOf(parts: readonly string[], length: number): string[] {
  return length === 0 ? [''] : pathsOf(parts, length - 1).flatMap((path) => parts.map((part) => `${path}/${part}`))
}

describe('normalisePrefixes()', () => {
  it.each(['api/rest', 'http://x/api', '/a?b', '/a#b', '/a b', '//'])('refuses %j', (prefix) => {
    expect(() => normalisePrefixes(prefix)).toThrow(TypeError)
  })
})
