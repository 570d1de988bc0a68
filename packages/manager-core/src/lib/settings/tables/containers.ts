import type { Variable } from '../variable.js'
import { text } from './rows.js'

const section = 'Containers'

/** Settings of the runtimes "container" and "swarm". */
export const containersTable = {
  APPS_CONTAINER_SOCKET: {
    type: 'path',
    section,
    default: '/var/run/docker.sock',
    summary: 'Socket of the container engine (addition)',
  },
  APPS_CONTAINER_IMAGE: text(
    section,
    "Image with Node and a shell, e.g. node:24-slim; not set: built from this machine's Node (addition)",
  ),
  APPS_CONTAINER_NETWORK: {
    type: 'text',
    section,
    default: 'host',
    summary: 'Network of containers: host, bridge, or a network of the engine (addition)',
  },
  APPS_SWARM_REGISTRY: text(
    section,
    'Registry for nodes of a swarm, e.g. registry.example.org:5000; not set: it has one node (addition)',
  ),
} as const satisfies Readonly<Record<string, Variable>>
