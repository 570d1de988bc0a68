import { afterAll, afterEach, beforeAll } from 'vitest'
import { testAddresses } from './addresses.js'
import { testClosed } from './closed.js'
import { testFaults } from './faults.js'
import type { ProductWords } from './product-words.js'
import { startProxyUnderTest, type ProxyUnderTest, type StartProxy } from './proxy-under-test.js'
import { testSnippets } from './snippets.js'
import { testTls } from './tls.js'
import { testTraffic } from './traffic.js'

/** What a reverse proxy has to do, whatever its product. All run against one real program. */
export function testReverseProxy(start: StartProxy, words: ProductWords): void {
  let it: ProxyUnderTest
  beforeAll(async () => {
    it = await startProxyUnderTest(start)
  })
  afterEach(() => it.clear())
  afterAll(() => it.close())
  const under = () => it
  testAddresses(under)
  testTraffic(under)
  testClosed(under)
  testTls(under)
  testSnippets(under, words)
  testFaults(under, words)
}
