import type { Check } from './check.js'
import { holds, keysBelow, listAll, same } from './expect.js'
import { pieces } from './made-up.js'

const content = pieces(Buffer.from('content'))

/** What lists return. */
export const listChecks: readonly Check[] = [
  {
    name: 'a list has what begins with the prefix, and nothing else',
    async run({ target, prefix }) {
      const names = ['demo/1/data.tar', 'demo/1/manifest.json', 'demo/2/manifest.json', 'demo-2/1/manifest.json', 'x.y']
      await Promise.all(names.map((name) => target.put(prefix + name, content)))
      const below = async (part: string) => (await keysBelow(target, prefix + part)).toSorted()
      const begin = (part: string) => names.filter((name) => name.startsWith(part)).map((name) => prefix + name)
      for (const part of ['', 'demo', 'demo/', 'demo/1/', 'demo/1/ma', 'demo/2/manifest.json', 'x.', 'none', 'none/'])
        same(await below(part), begin(part).toSorted(), `list() of "${part}"`)
      for (const part of ['../', '/', './', '.', 'a b', 'ä', '\\'])
        same(await below(part), [], `list() of "${part}", which no key begins with`)
      same(await keysBelow(target, '../'), [], 'list() of what is beside')
      for (const { size, modified } of await listAll(target, { prefix })) {
        same(size, 7, 'size')
        holds(!Number.isNaN(modified.getTime()), 'list() has no dates.')
      }
    },
  },
  {
    name: 'a long list comes in pages',
    async run({ target, prefix }) {
      const keys = Array.from({ length: 7 }, (_, index) => `${prefix}${index % 2 === 0 ? 'even' : 'odd'}/${index}`)
      await Promise.all(keys.map((key) => target.put(key, content)))
      const seen: string[] = []
      let pages = 0
      for (let cursor: string | undefined; ;) {
        const page = await target.list({ prefix, cursor, limit: 3 })
        holds(page.objects.length <= 3, `A page has ${page.objects.length} objects instead of 3 at most.`)
        seen.push(...page.objects.map(({ key }) => key))
        if (page.next === undefined) break
        holds(++pages < 50, 'The list has no end.')
        cursor = page.next
      }
      same(seen.toSorted(), keys.toSorted(), 'list()')
    },
  },
  {
    name: 'a list is in the order of keys',
    skip: ({ listOrder }) => (listOrder === 'key' ? undefined : 'its lists have no order'),
    async run({ target, prefix }) {
      const keys = ['B', 'a-b', 'a.b', 'a/b', 'a/c', 'a0', 'a_', 'b'].map((name) => prefix + name)
      await Promise.all(keys.toReversed().map((key) => target.put(key, content)))
      same(await keysBelow(target, prefix), keys, 'list()')
      const inPages = await listAll(target, { prefix, limit: 2 })
      same(
        inPages.map(({ key }) => key),
        keys,
        'list() in pages',
      )
    },
  },
  {
    name: 'a list immediately shows what was stored and deleted, also by others',
    async run({ target, prefix, another }) {
      const other = await another()
      for (const name of ['1', '2']) {
        const key = prefix + name
        await target.put(key, content)
        same(await keysBelow(target, prefix), [key], 'list() after put()')
        same(await keysBelow(other, prefix), [key], 'list() of another connection after put()')
        await target.delete(key)
        same(await keysBelow(target, prefix), [], 'list() after delete()')
        same(await keysBelow(other, prefix), [], 'list() of another connection after delete()')
      }
    },
  },
]
