import type { Variable } from '../variable.js'
import { text } from './rows.js'

const section = 'Containers'

/** Settings of the runtimes "container" and "swarm". */
export const containersTable = {
  APPS_CONTAINER_SOCKET: {
    type: 'path',
    section,
    default: '/var/run/docker.sock',
    summary: 'Socket of the container engine',
  },
  APPS_CONTAINER_IMAGE: text(
    section,
    "Image with Node and a shell, e.g. node:24-slim; not set: built from this machine's Node",
  ),
  APPS_CONTAINER_NETWORK: {
    type: 'text',
    section,
    default: 'host',
    summary: 'Network of containers: host, bridge, or a network of the engine',
  },
  APPS_SWARM_REGISTRY: text(
    section,
    'Registry for nodes of a swarm, e.g. registry.example.org:5000; not set: it has one node',
  ),
  APPS_SWARM_REGISTRY_USER: text(section, 'User of that registry; not set: it has no password'),
  APPS_SWARM_REGISTRY_PASSWORD_FILE: {
    type: 'path',
    section,
    summary: 'File with the password of that user, which only its owner may read',
  },
} as const satisfies Readonly<Record<string, Variable>>
