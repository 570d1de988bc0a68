import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { giveTo } from './as-user.js'
import { makeFolder } from './folders.js'
import { findCommand } from './programs.js'
import { launch, type TestServer } from './server.js'
import { toolIsMissing } from './tools.js'

/** Where Debian's package libh2-java puts it. */
const jar = '/usr/share/java/h2.jar'

const user = 'daemon'

/** A database in Java that speaks the SQL of others in part. Its databases are in memory, and gone with their last connection. Spoken to by PostgreSQL's protocol. */
export async function startH2(): Promise<TestServer> {
  const dir = await makeFolder('h2')
  await giveTo(user, dir)
  const options = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']
  const { default: pg } = await import('pg')
  return launch({
    user,
    dir,
    removeDir: true,
    port: undefined,
    stopSignal: 'SIGTERM',
    command: (port) => [
      findCommand('java'),
      ...options,
      ...['-cp', jar, 'org.h2.tools.Server', '-pg', '-pgPort', String(port), '-ifNotExists', '-baseDir', dir],
    ],
    async connect(port) {
      const client = new pg.Client(urlOf(port, 'start'))
      await client.connect()
      await client.end()
    },
    url: (port) => urlOf(port, 'test'),
  })
}

/** Defines tests in a group called `h2`, with a server of their own. `fresh` gives the URL of an empty database. */
export function needsH2(define: (fresh: () => string) => void): void {
  const reason = toolIsMissing('h2')
  if (reason !== undefined) {
    it('h2', ({ skip }) => skip(reason))
    return
  }
  describe('h2', () => {
    let server: TestServer | undefined
    beforeAll(async () => {
      server = await startH2()
    })
    afterAll(() => server?.close())
    define(() => urlOf(server?.port ?? 0, `test_${randomBytes(6).toString('hex')}`))
  })
}

function urlOf(port: number, database: string): string {
  return `postgres://sa:sa@127.0.0.1:${port}/mem:${database}`
}
