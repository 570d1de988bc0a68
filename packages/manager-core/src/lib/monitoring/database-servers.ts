import { connect } from 'node:net'
import type { ManagerContext } from '../context.js'

/** How long a database server may take to accept a connection, in ms. */
const timeoutMs = 3000

/** A database server that does not answer, with those of the instances whose databases it has. */
export interface DeadServer {
  /** `postgresql at db1:5432` */
  readonly name: string
  readonly instances: readonly string[]
}

/** Which database servers of these instances cannot be reached. Never rejects. */
export async function deadServers(
  { settings, home }: Pick<ManagerContext, 'settings' | 'home'>,
  ids: readonly string[],
): Promise<readonly DeadServer[]> {
  const servers = new Map<string, { readonly host: string; readonly port: number; readonly instances: string[] }>()
  for (const id of ids) {
    const found = await settings.instance(home.instance(id).folder).catch(() => undefined)
    const { database, databaseHost: host, databasePort: port } = found ?? {}
    // A path is a socket of this machine.
    if (host === undefined || port === undefined || host.startsWith('/')) continue
    const name = `${database} at ${host}:${port}`
    const known = servers.get(name)
    if (known) known.instances.push(id)
    else servers.set(name, { host, port, instances: [id] })
  }
  const looked = await Promise.all(
    [...servers].map(async ([name, { host, port, instances }]) => ({
      name,
      instances,
      answers: await accepts(host, port),
    })),
  )
  return looked.filter(({ answers }) => !answers).map(({ name, instances }) => ({ name, instances }))
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}
