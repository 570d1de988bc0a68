// The server as a program of its own, for tests that kill it: `node server-for-test.mjs <options of the manager, as JSON>
// <address:port>`. It prints its address when it answers.
import { createManager } from '@steward/manager-core'
import { createManagerServer } from '@steward/manager-server'

const [options = '{}', listen] = process.argv.slice(2)
const server = await createManagerServer({ manager: createManager(JSON.parse(options)), listen })
process.stdout.write(`${server.url}\n`)
