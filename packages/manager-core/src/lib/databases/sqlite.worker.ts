// Does one thing with an embedded database, as its account or without capabilities: `node sqlite.worker.js <verb> <file> [<JSON>]`. Its result is
// its standard output, JSON or the dump; why it failed is JSON on the last line of its standard error.
import { closeSync, writeSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createDatabaseServer, DatabaseServerError } from '@steward/db-adapters/server'

const [verb = '', name = '', argument = 'null'] = process.argv.slice(2)
const server = createDatabaseServer({ type: 'sqlite' })
const database = { name, user: '', password: '' }

try {
  const result = await perform()
  if (result !== undefined) process.stdout.write(JSON.stringify(result))
} catch (error) {
  const { message } = error as Error
  const code = DatabaseServerError.is(error) ? error.code : 'ERR_FAILED'
  process.stderr.write(`${JSON.stringify({ code, message })}\n`)
  process.exitCode = 1
}

async function perform(): Promise<unknown> {
  switch (verb) {
    case 'exists':
      return server.exists(database)
    case 'isEmpty':
      return server.isEmpty(database)
    case 'create':
      return server.create(database)
    case 'drop':
      return server.drop(database)
    case 'extent':
      return server.extent(database)
    case 'changedSince':
      return server.changedSince(database, JSON.parse(argument) as Parameters<typeof server.changedSince>[1])
    case 'statistics':
      return server.statistics(database)
    case 'restore':
      return server.restore(database, process.stdin)
    case 'dump': {
      const { content, done } = await server.dump(database)
      const options = JSON.parse(argument) as { readonly reports: boolean } | null
      // From now on the file is held still, which the caller waits for.
      if (options?.reports) {
        writeSync(3, '\n')
        closeSync(3)
      }
      await pipeline(content, process.stdout)
      return done
    }
    default:
      throw new Error(`Unknown verb "${verb}".`)
  }
}
