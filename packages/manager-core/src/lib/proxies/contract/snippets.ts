import { mkdirSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ProductWords } from './product-words.js'
import type { ProxyUnderTest } from './proxy-under-test.js'

export function testSnippets(under: () => ProxyUnderTest, words: ProductWords): void {
  describe('snippets', () => {
    it('a good one is used, and goes with its instance when that is renamed', async () => {
      await under().add('demo')
      under().snippet('demo', words.header)
      await under().publish()
      expect((await under().call('demo.apps.test')).headers['x-snippet']).toBe('yes')
      const { registry } = under().test.context
      registry.transaction((writer) => writer.updateInstance('idemo', { name: 'shop' }))
      await under().publish()
      expect((await under().call('shop.apps.test')).headers['x-snippet']).toBe('yes')
    })

    it('a bad one is left out and told with its line; its instance and all others are served', async () => {
      const { test } = under()
      await under().add('demo')
      await under().add('other')
      const file = under().snippet('demo', `${words.comment}\n\n${words.wrong}\n`)
      under().snippet('other', words.header)
      const { state, warnings } = await under().publish()
      expect(state).toBe('published')
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain('The snippet of "demo" is left out: ')
      expect(warnings[0]).toContain(`(${file}:3)`)
      expect((await under().call('demo.apps.test')).echo.name).toBe('demo')
      expect((await under().call('other.apps.test')).headers['x-snippet']).toBe('yes')

      const { list = [] } = await test.perform('proxy status')
      expect(list).toMatchObject([{ name: 'demo', state: 'problem', message: warnings[0] }, { state: 'published' }])
      const history = test.context.registry.history({ instance: 'idemo' })
      expect(history.at(-1)).toMatchObject({ action: 'proxy publish', result: 'failed', message: warnings[0] })

      // It is reported once, and not tried again until it has changed.
      under().test.context.registry.transaction((writer) => writer.updateInstance('iother', { name: 'others' }))
      expect(await under().publish()).toEqual({ state: 'published', warnings: [] })
      under().snippet('demo', words.header)
      expect(await under().publish()).toEqual({ state: 'published', warnings: [] })
      expect((await under().call('demo.apps.test')).headers['x-snippet']).toBe('yes')
    })

    it('one that cannot be read is left out and told', async () => {
      await under().add('demo')
      const file = under().snippet('demo', '')
      rmSync(file)
      mkdirSync(file)
      const { warnings } = await under().publish()
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain('The snippet of "demo" is left out: EISDIR')
      expect((await under().call('demo.apps.test')).echo.name).toBe('demo')
    })

    it('several bad ones are each told, also one that would leave its block', async () => {
      for (const name of ['one', 'two', 'good']) await under().add(name)
      const one = under().snippet('one', words.breakOut)
      const two = under().snippet('two', words.wrong)
      under().snippet('good', words.header)
      const { warnings } = await under().publish()
      expect(warnings.map((text) => [one, two].find((file) => text.includes(`(${file}:1)`))).toSorted()).toEqual([
        one,
        two,
      ])
      for (const name of ['one', 'two', 'good']) expect((await under().call(`${name}.apps.test`)).echo.name).toBe(name)
      expect((await under().call('good.apps.test')).headers['x-snippet']).toBe('yes')
    })
  })
}
