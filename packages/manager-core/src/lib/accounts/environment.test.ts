import { beforeEach, expect, it, vi } from 'vitest'
import { languageEnvironment, plainEnvironment } from './environment.js'

const language = { LANG: 'fr_FR.UTF-8', LC_TIME: 'C', TZ: 'Asia/Tokyo' }
const places = { PATH: '/bin', HOME: '/root', TMPDIR: '/fast', NODE_COMPILE_CACHE: '/fast/code' }

beforeEach(() => {
  for (const name of Object.keys(process.env)) vi.stubEnv(name, undefined)
  for (const [name, value] of Object.entries({ ...language, ...places, APPS_PASSWORD: 'hidden' }))
    vi.stubEnv(name, value)
  return () => vi.unstubAllEnvs()
})

it("code that runs as the manager's user finds how programs run here, and nothing else of the manager", () => {
  expect(plainEnvironment('/srv/demo/data', undefined)).toEqual({ ...language, ...places })
})

it("an account finds no folder of the manager's user", () => {
  const account = { name: 'demo', uid: 5000, gid: 5000 }
  expect(plainEnvironment('/srv/demo/data', account)).toEqual({ ...language, PATH: '/bin', HOME: '/srv/demo/data' })
})

it('code in a container finds nothing of this machine', () => {
  expect(languageEnvironment()).toEqual(language)
})
