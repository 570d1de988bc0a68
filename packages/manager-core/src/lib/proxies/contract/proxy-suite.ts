import { afterAll, afterEach, beforeAll } from 'vitest'
import { startProxyUnderTest, type ProxyUnderTest } from './proxy-under-test.js'
import { testAddresses } from './addresses.js'
import { testFaults } from './faults.js'
import { testSnippets } from './snippets.js'
import { testTls } from './tls.js'
import { testTraffic } from './traffic.js'
import type { ProxyOptions, TestProxy } from '../../../../../../tests/servers/proxy-server.js'

/** What a reverse proxy has to do, whatever its product. All run against one real program. */
export function testReverseProxy(start: (options: ProxyOptions) => Promise<TestProxy>, words: ProductWords): void {
  let it: ProxyUnderTest
  beforeAll(async () => {
    it = await startProxyUnderTest(start)
  })
  afterEach(() => it.clear())
  afterAll(() => it.close())
  const under = () => it
  testAddresses(under)
  testTraffic(under)
  testTls(under)
  testSnippets(under, words)
  testFaults(under, words)
}

/** Texts of the product's language. */
export interface ProductWords {
  /** A good snippet: each answer has the header `X-Snippet: yes`. */
  readonly header: string
  /** A line that is wrong. */
  readonly wrong: string
  /** Ends the block that snippets are in. */
  readonly breakOut: string
  /** A line for the main file that is good, and one that is wrong. */
  readonly comment: string
  /** A server of another configuration for a host. */
  other(host: string, port: number): string
}
