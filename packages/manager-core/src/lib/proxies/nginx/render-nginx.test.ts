import { expect, it } from 'vitest'
import type { Publication, Site } from '../site.js'
import { renderNginx } from './render-nginx.js'

const tls = { certificate: 'PEM', hash: 'c1', keyFile: '/etc/ssl/site.key', keyHash: 'k1' }
const site = (host: string): Site => ({ host, tls, http: 'serve', clientAuthorities: undefined, places: [] })
const publication = (sites: readonly Site[]): Publication => ({
  ...{ sites, manager: { host: '127.0.0.1', port: 8000 }, httpPort: 80, httpsPort: 443, hsts: false },
})
const options = { version: '1.22.1', secret: 's', ipv6: false, hasHashSizes: false }
const generation = { folder: '/srv/proxy/generations/g1', id: 'g1' }
const render = (sites: readonly Site[], more: Partial<typeof options> = {}) =>
  renderNginx(publication(sites), generation, { ...options, ...more })

it('HTTP/2 is asked for as the version understands it', () => {
  const textOf = (version: string) => render([site('a.test')], { version }).get('sites.conf')
  for (const old of ['1.22.1', '1.25.0']) {
    expect(textOf(old)).toContain('listen 443 ssl http2;')
    expect(textOf(old)).not.toContain('http2 on;')
  }
  for (const now of ['1.25.1', '1.28.0']) {
    expect(textOf(now)).toContain('listen 443 ssl;\n  http2 on;')
    expect(textOf(now)).not.toContain('ssl http2')
  }
})

it('many names get larger tables, unless the main file has them', () => {
  const many = Array.from({ length: 300 }, (_, n) => site(`n${n}.test`))
  const first = (files: ReadonlyMap<string, string>) => files.get('00-steward.conf')
  expect(first(render(many))).toContain('server_names_hash_max_size 4096;')
  expect(first(render(many, { hasHashSizes: true }))).not.toContain('server_names_hash')
  expect(first(render(many.slice(1)))).toContain('server_names_hash')
  expect(first(render(many.slice(200)))).not.toContain('server_names_hash')
})

it('addresses of IPv6 are listened on where there are some; sites share the files of a certificate', () => {
  const files = render([site('a.test'), site('b.test')], { ipv6: true })
  expect(files.get('sites.conf')).toContain('listen [::]:80;')
  expect([...files.keys()].filter((name) => name.startsWith('certificates/'))).toEqual(['certificates/c1.pem'])
})
