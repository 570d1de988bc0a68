import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Target } from './databases.ts'
import type { OpenServer } from './servers.ts'

/**
 * One server under test, as a process of its own: `node serve.ts <server> <target as JSON>`.
 * Prints its port when it is ready, and ends when its standard input does, so that it never outlives the bench.
 */
const [name, target] = process.argv.slice(2)
const { open } = (await import(`./servers/${name}.ts`)) as { open: OpenServer }
const server = createServer(await open(JSON.parse(target ?? '') as Target))
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.stdin.on('end', () => process.exit()).resume()
