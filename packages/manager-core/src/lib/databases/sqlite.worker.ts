// Uses an embedded database, as its account or without capabilities. Without arguments it answers the calls of `askWorker`, each
// `[<file>, <verb>, <argument>]`, with `{ result }` or `{ failure }`. What streams has a process of its own:
// `node sqlite.worker.js dump <file>` and `restore <file>` use standard output and input, and why they failed is JSON on
// the last line of their standard error. `dump <file> --report` also writes a line into file descriptor 3, when the file is
// held still.
import { closeSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createDatabaseServer, DatabaseServerError, type DatabaseAccount } from '@steward/db-adapters/server'

const [stream, file = '', option] = process.argv.slice(2)
const server = createDatabaseServer({ type: 'sqlite' })

if (stream === undefined) await answerCalls()
else
  try {
    await perform(stream, accountOf(file))
  } catch (error) {
    process.stderr.write(`${JSON.stringify(failureOf(error))}\n`)
    process.exitCode = 1
  }

/** Until the standard input ends. */
async function answerCalls(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const at = line.indexOf(' ')
    const [name, verb, argument] = JSON.parse(line.slice(at + 1)) as readonly [name: string, verb: string, unknown?]
    const answer = await perform(verb, accountOf(name), argument).then(
      (result) => ({ result }),
      (error: unknown) => ({ failure: failureOf(error) }),
    )
    process.stdout.write(`${line.slice(0, at)} ${JSON.stringify(answer)}\n`)
  }
}

function failureOf(error: unknown) {
  const { message } = error as Error
  return { code: DatabaseServerError.is(error) ? error.code : 'ERR_FAILED', message }
}

function accountOf(name: string): DatabaseAccount {
  return { name, user: '', password: '' }
}

async function perform(verb: string, database: DatabaseAccount, argument?: unknown): Promise<unknown> {
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
      return server.changedSince(database, argument as Parameters<typeof server.changedSince>[1])
    case 'statistics':
      return server.statistics(database)
    case 'restore':
      return server.restore(database, process.stdin)
    case 'dump': {
      const { content, done } = await server.dump(database)
      // From now on the file is held still, which the caller waits for.
      if (option === '--report') {
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
