import type { Settings } from '../settings/settings.js'
import type { ApplicationKind } from '../templates/check-template.js'
import { createContainerRuntime } from './container/create-container-runtime.js'
import { createProcessRuntime } from './create-process-runtime.js'
import type { Runtime } from './runtime.js'
import { createSwarmRuntime } from './swarm/create-swarm-runtime.js'
import { registryAuth } from './swarm/registry-auth.js'
import { createSystemdRuntime } from './systemd/create-systemd-runtime.js'
import { createTomcatRuntime } from './tomcat/create-tomcat-runtime.js'

/** What runtimes are created with. */
export interface RuntimeParts {
  readonly settings: () => Settings
  /** Folder of the instances of this manager. */
  readonly instances: string
  /** Another one, for those that have it do the work. @throws ManagerError ERR_STATE */
  named(name: string): Runtime
}

/** A runtime that instances may have; what a package exports as `runtime`, for APPS_RUNTIMES. */
export interface RuntimeRow {
  /** Kinds of applications that it runs. */
  readonly runs: readonly ApplicationKind[]
  /** Once, when it is first used. Heavy packages are loaded later still: by the call that needs them. */
  make(parts: RuntimeParts): Runtime
}

/** All that come with the manager, by their names, which settings and the registry have. */
export const builtInRuntimes: Readonly<Record<string, RuntimeRow>> = {
  process: {
    runs: ['node'],
    make: ({ settings }) => createProcessRuntime({ cgroups: () => settings().global.cgroups }),
  },
  container: {
    runs: ['node'],
    make: ({ settings }) => createContainerRuntime(settings().global.containers),
  },
  tomcat: {
    runs: ['webapp'],
    make: ({ named }) => createTomcatRuntime({ processes: named('process') }),
  },
  systemd: {
    runs: ['node'],
    make: ({ settings }) => createSystemdRuntime({ stopTimeoutMs: () => settings().global.stopTimeoutMs }),
  },
  swarm: {
    runs: ['node'],
    make({ settings, instances, named }) {
      const { containers, swarm, stopTimeoutMs } = settings().global
      return createSwarmRuntime({
        socket: containers.socket,
        image: containers.image,
        registry: swarm.registry,
        registryAuth: () => registryAuth(swarm),
        instances,
        processes: named('process'),
        graceMs: stopTimeoutMs,
      })
    },
  },
}
