import { appendFileSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBehindNginx } from './behind-nginx.ts'
import { median, progress } from './commands.ts'
import type { Figure, Size } from './figure.ts'

/** Requests of which the median counts. */
const requests = 500

/**
 * The first byte of an instance that sleeps, against `manager start`; and of one that may sleep and is awake, against one
 * that never sleeps. Behind nginx all of them.
 */
export async function benchWake({ rounds }: Size): Promise<readonly Figure[]> {
  const { home, http, published, serving, close } = await openBehindNginx(['export APPS_SLEEP_AFTER=86400'])
  const starts: number[] = []
  const wakes: number[] = []
  const ask = (name: string, path = '/ping') => firstByte(http, `${name}.localhost`, path)
  const measure = async (): Promise<readonly Figure[]> => {
    for (const name of ['lazy', 'always']) await home.manager('add', name)
    const { item } = home.json('get', 'always') as { readonly item: { readonly id: string } }
    appendFileSync(join(home.folder, 'instances', item.id, 'settings.sh'), 'SERVICE_SLEEP_AFTER=0\n')
    await home.manager('proxy', 'publish')
    while (sleepersIn(published) !== 1) await sleep(100)
    for (let round = 0; round < rounds; round++) {
      await home.manager('stop', 'lazy')
      starts.push(await home.manager('start', 'lazy'))
      await home.manager('sleep', 'lazy')
      wakes.push(await ask('lazy'))
      progress(`wake ${round + 1}/${rounds}: ${wakes.at(-1)?.toFixed(0)} ms, start ${starts.at(-1)?.toFixed(0)} ms`)
    }
    const awake: number[] = []
    const always: number[] = []
    for (let round = 0; round < requests; round++) {
      awake.push(await ask('lazy'))
      always.push(await ask('always'))
    }
    return [
      {
        title: 'first byte of one that sleeps (to: manager start, a command)',
        ours: median(wakes),
        peer: median(starts),
        unit: 'ms',
        atMost: 1,
      },
      {
        title: 'first byte of one that may sleep, awake (to: one that never sleeps)',
        ours: median(awake),
        peer: median(always),
        unit: 'ms',
        atMost: 2,
      },
    ]
  }
  try {
    return await serving(measure)
  } finally {
    await close()
  }
}

function sleepersIn(folder: string): number {
  try {
    const { sleepers } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as { readonly sleepers: string[] }
    return sleepers.length
  } catch {
    return 0
  }
}

/** Until the first byte of the answer comes, in ms. @throws Error when it is not a good one */
async function firstByte(port: number, host: string, path: string): Promise<number> {
  const begin = performance.now()
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false, headers: { host } }, (response) => {
      const taken = performance.now() - begin
      response.resume()
      if (response.statusCode === 200) response.once('end', () => resolve(taken))
      else reject(new Error(`${host} answered ${response.statusCode}.`))
    }).once('error', reject)
  })
}
