import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesSource, TargetError } from '@steward/backup-targets'
import { describe, expect, it } from 'vitest'
import { settingsOf } from '../settings/settings-for-test.js'
import { createTargets } from './create-targets.js'

describe('targets', () => {
  const targetsOf = (...lines: string[]) => {
    const { home, settings } = settingsOf(lines)
    return { home, targets: createTargets({ home, settings: () => settings }) }
  }
  const store = ['APPS_TARGETS=store', 'APPS_TARGET_STORE_TYPE=local', 'APPS_TARGET_STORE_PATH=$APPS_HOME/store']

  it('are opened as config.sh says', async () => {
    const { home, targets } = targetsOf(...store)
    mkdirSync(join(home.folder, 'store', 'demo'), { recursive: true })
    writeFileSync(join(home.folder, 'store', 'demo', 'a.txt'), 'a')
    const found = await targets.use('store', (target) => target.stat('demo/a.txt'))
    expect(found).toMatchObject({ key: 'demo/a.txt', size: 1 })
    expect(await targets.describe('store')).toContain(join(home.folder, 'store'))
  })

  it('are named in errors, which say what to do', async () => {
    const { targets } = targetsOf(...store, 'APPS_TARGET_STORE_PATHH=x')
    await expect(targets.use('stroe', () => Promise.resolve())).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      help: 'Did you mean "store"?',
    })
    await expect(targets.use('store', () => Promise.resolve())).rejects.toMatchObject({
      code: 'ERR_SETTINGS',
      message: expect.stringMatching(/^Target "store": .*APPS_TARGET_STORE_PATHH/),
    })
    const { targets: good } = targetsOf(...store)
    const work = () => Promise.reject(new TargetError('ERR_TARGET_FULL', 'No room', { help: 'Make some.' }))
    await expect(good.use('store', work)).rejects.toMatchObject({
      code: 'ERR_TARGET',
      message: 'Target "store": No room.',
      help: 'Make some.',
    })
  })

  it('share the bandwidth', async () => {
    const { home, targets } = targetsOf(...store, 'APPS_TARGET_BANDWIDTH=400')
    mkdirSync(join(home.folder, 'store'))
    const begin = performance.now()
    const put = (key: string) => targets.use('store', (target) => target.put(key, bytesSource(Buffer.alloc(100_000))))
    await Promise.all([put('one'), put('two')])
    // One alone would take a quarter of a second.
    expect(performance.now() - begin).toBeGreaterThan(350)
  })

  it('may be plug-ins of the home', async () => {
    const { home, targets } = targetsOf(
      'APPS_TARGETS=box',
      'APPS_TARGET_BOX_TYPE=my-box',
      'APPS_TARGET_BOX_TOKEN=s3cret',
    )
    const folder = join(home.folder, 'node_modules', 'my-box')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"name":"my-box","version":"1.0.0","type":"module","main":"index.js"}')
    writeFileSync(
      join(folder, 'index.js'),
      `class TargetError extends Error { name = 'TargetError'; code = 'ERR_TARGET_REFUSED'; transient = false;
        [Symbol.for('@steward/backup-targets/TargetError')] = true }
      export const target = { name: 'box', title: 'Box', options: [{ name: 'token', summary: 'Token', secret: true }],
        describe: () => 'box:', open: ({ token }) => ({ capabilities: {}, close: async () => {},
        stat: async () => { if (token !== 's3cret') return; throw new TargetError('Not with this token') } }) }`,
    )
    expect(await targets.describe('box')).toBe('box:')
    await expect(targets.use('box', (target) => target.stat('a'))).rejects.toMatchObject({
      code: 'ERR_TARGET',
      message: 'Target "box": Not with this token.',
    })
  })
})
