import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { ManagerError } from '../../../errors.js'
import { instanceHomeAt } from '../../domain/home.js'
import { fileError } from '../../files/file-error.js'
import { exclusively } from '../exclusively.js'
import type { ExitInfo, InstanceRef, InstanceSpec, Observation, Runtime } from '../runtime.js'
import { checkInstallation, takesUnixSockets } from './check-installation.js'
import { layOutBase, runScriptOf } from './lay-out-base.js'

export interface TomcatRuntimeOptions {
  /** What runs Tomcat, and has processes. */
  readonly processes: Runtime
}

/**
 * Serves Java web applications: makes a base of Tomcat for each instance, and has it run as any other program, so that
 * supervision, suspension, logs, limits and accounts are those of processes.
 */
export function createTomcatRuntime({ processes }: TomcatRuntimeOptions): Runtime {
  const { serving: _serving, serve: _serve, ...inherited } = processes

  async function prepare(spec: InstanceSpec): Promise<InstanceSpec> {
    const { tomcat } = spec
    if (!tomcat)
      throw new ManagerError('ERR_STATE', `The application in ${spec.workingFolder} is not a Java web application.`, {
        help: 'Tomcat only runs applications with WEB-INF. Node applications run as processes.',
      })
    const program = programOf(spec)
    await checkInstallation(tomcat)
    let canTake: boolean
    try {
      canTake = await exclusively(spec, 'prepare', () => layOutBase(spec, tomcat))
    } catch (error) {
      throw fileError(error, `Cannot create the Tomcat base in ${spec.folder}`)
    }
    return { ...program, takesSockets: (spec.takesSockets ?? false) && canTake && (await takesUnixSockets(tomcat)) }
  }

  return {
    ...inherited,
    name: 'tomcat',
    // Two copies would have one base, and sessions of their own.
    capabilities: Object.freeze({ ...processes.capabilities, parallelCopies: false }),
    async probe() {
      const { ok, message } = await processes.probe()
      return { ok, message: ok ? 'Java web applications run on Tomcat.' : message }
    },
    define: async (spec) => processes.define(await prepare(spec)),
    async start(spec, options = {}) {
      const program = await prepare(spec)
      const debug = options.debug && { JPDA_ADDRESS: `127.0.0.1:${spec.tomcat?.debugPort ?? (await freePort())}` }
      await processes.start({ ...program, environment: { ...program.environment, ...debug } }, options)
    },
    async stop(ref, options) {
      return ended(await processes.stop(ref, options))
    },
    async observe(ref: InstanceRef): Promise<Observation> {
      const observation = await processes.observe(ref)
      const { lastExit } = observation
      return lastExit ? { ...observation, lastExit: ended(lastExit) } : observation
    },
  }
}

/** Java ends in good order with 143 when it is asked to by SIGTERM. */
function ended<T extends Pick<ExitInfo, 'code' | 'signal'>>(exit: T): T {
  if (exit.signal !== 'SIGTERM') return exit
  const { signal: _signal, ...rest } = exit
  return { ...rest, code: 0 } as T
}

/** The program that a process runtime runs, with its environment. `catalina.sh` reads its variables with `eval`. */
function programOf(spec: InstanceSpec): InstanceSpec {
  const { folder, tomcat, maxMemoryMb, port, environment } = spec
  const { java = '', home = '', encoding = 'UTF-8', minMemoryMb } = tomcat ?? {}
  if (!/^[A-Za-z0-9][\w.:+-]{0,40}$/.test(encoding))
    throw new ManagerError('ERR_SETTINGS', `APPS_ENCONDING is "${encoding}", which is not the name of an encoding.`, {
      help: 'Set APPS_ENCONDING=UTF-8 in version-<version>.sh.',
    })
  const heap = [
    ...(minMemoryMb === undefined ? [] : [`-Xms${Math.min(minMemoryMb, maxMemoryMb ?? minMemoryMb)}m`]),
    ...(maxMemoryMb === undefined ? [] : [`-Xmx${maxMemoryMb}m`]),
  ]
  const encodings = ['file', 'stdout', 'stderr'].map((name) => `-D${name}.encoding=${encoding}`)
  return {
    ...spec,
    command: ['/bin/sh', runScriptOf(folder)],
    environment: {
      // Names of files and variables are in it, whatever the encoding of content.
      LC_ALL: 'C.UTF-8',
      ...environment,
      JAVA_HOME: java,
      CATALINA_HOME: home,
      CATALINA_BASE: instanceHomeAt(folder).tomcat,
      CATALINA_OPTS: [...heap, ...encodings, '-XX:+ExitOnOutOfMemoryError', environment['CATALINA_OPTS']]
        .filter(Boolean)
        .join(' '),
      STEWARD_PORT: String(port),
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
