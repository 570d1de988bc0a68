import { join } from 'node:path'
import type { FakeApplication } from '../fake-application.js'
import { existsSync, readFileSync, statSync } from './files.js'
import { machine, pause, type SimulatedInstance } from './machine.js'

/** How the application in a folder behaves. */
export function behaviourOf(app: string): FakeApplication {
  const file = join(app, 'fake.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FakeApplication) : {}
}

export function isTaken(port: number): boolean {
  const { instances, takenPorts } = machine.state
  return takenPorts.has(port) || [...instances.values()].some((each) => each.state === 'started' && each.port === port)
}

/** What an application does when it starts: makes its tables, and brings them to its version. @returns whether it runs */
export function startApplication({ app, port, environment, uid }: SimulatedInstance): boolean {
  // With an account of its own it enters only what is its own.
  if (uid !== 0 && (statSync(app).uid !== uid || statSync(join(app, 'app.yaml')).uid !== uid)) return false
  if (behaviourOf(app).start === 'fail' || isTaken(port)) return false
  const { databases, users, databaseServer } = machine.state
  if (databaseServer === 'down') return false
  const [, user, password, name] =
    /^mysql:\/\/([^:]*):([^@]*)@.*\/([^/]*)$/.exec(environment['STEWARD_DATABASE'] ?? '') ?? []
  const database = databases.get(name ?? '')
  if (!database || database.user !== user || users.get(user) !== password) return false
  database.tables['note'] ??= ['first']
  const [, version = ''] = /^version: (.*)$/m.exec(readFileSync(join(app, 'app.yaml'), 'utf8')) ?? []
  database.tables['schema'] = [version]
  return true
}

/** What the instance at a port answers; undefined: nothing listens. */
export async function healthAt(port: number): Promise<{ readonly status: number; readonly text: string } | undefined> {
  const { instances, takenPorts } = machine.state
  if (takenPorts.has(port)) return { status: 404, text: 'something else' }
  const instance = [...instances.values()].find((each) => each.state === 'started' && each.port === port)
  if (!instance) return undefined
  const { health = 'OK' } = behaviourOf(instance.app)
  if (health === 'hang' || instance.isSuspended) {
    await pause(5000)
    return undefined
  }
  return { status: health === 'OK' ? 200 : 503, text: `[platform]\nstatus=${health}\n[application]\nmodel=notes\n` }
}

/** What the program that serves applications prints; undefined: it is another program. */
export function answerOf(args: readonly string[]): string | undefined {
  const app = args[1] ?? ''
  const isPlan = args.includes('--plan')
  if (!isPlan && !args.includes('--check')) return undefined
  const { problems = [] } = behaviourOf(app)
  const database = { steps: [], leftover: [], losses: [] }
  return JSON.stringify({
    format: 'steward-check',
    version: 1,
    problems,
    ...(isPlan && problems.length === 0 && { database }),
  })
}
