import { expect, test } from 'vitest'
import { publicUrlOf } from './public-url.js'
import type { ProxySettings } from './settings.js'

const urlOf = (baseUrl: string, { enabled = true, rootContext = true, customUrl = '', instancesUrl = baseUrl } = {}) =>
  publicUrlOf(
    { name: 'Demo', port: 8101, customUrl },
    { baseUrl, instancesUrl, rootContext, proxy: { enabled } as ProxySettings },
  )

test('publicUrlOf() is the custom URL, else that of the reverse proxy, else local', () => {
  expect(urlOf('https://apps.test')).toBe('https://demo.apps.test')
  expect(urlOf('https://apps.test:8443/manager/')).toBe('https://demo.apps.test:8443')
  expect(urlOf('https://apps.test/manager/', { rootContext: false })).toBe('https://apps.test/manager/Demo')
  expect(urlOf('https://apps.test', { instancesUrl: 'https://run.test' })).toBe('https://demo.run.test')
  expect(urlOf('https://apps.test', { instancesUrl: 'https://run.test/x', rootContext: false })).toBe(
    'https://run.test/x/Demo',
  )
  expect(urlOf('https://apps.test', { enabled: false })).toBe('http://127.0.0.1:8101')
  expect(urlOf('https://apps.test', { customUrl: 'https://x.test/y', enabled: false })).toBe('https://x.test/y')
})

test('publicUrlOf() is a path where the manager has an address, below which there are no hosts', () => {
  expect(urlOf('http://10.0.0.5')).toBe('http://10.0.0.5/Demo')
  expect(urlOf('http://[::1]:8000')).toBe('http://[::1]:8000/Demo')
})
