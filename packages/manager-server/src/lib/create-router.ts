import { Router } from '@koa/router'
import type { Addressing } from './addressing.js'
import type { ServerState } from './server-state.js'

/**
 * A router below the path of APPS_BASEURL, or without a prefix for a router that has it. Its routes are matched exactly: a path that may have a `/` at its end has `{/}`
 * there.
 */
export function createRouter({ prefix }: Pick<Addressing, 'prefix'> = { prefix: '' }): Router<ServerState> {
  return new Router<ServerState>({ prefix: escaped(prefix), sensitive: true, strict: true })
}

/** What has a meaning in the paths of routes is meant as it is. */
function escaped(path: string): string {
  return path.replaceAll(/[{}()[\]+?!*:\\]/g, String.raw`\$&`)
}
