import { join } from 'node:path'
import { loadCheckedFile } from '@steward/rest-core'
import type { Level } from '@steward/rest-koa'
import { appSchema } from './app-schema.js'

/** What `app.yaml` says. */
export interface AppDefinition {
  /** Name in addresses, e.g. `catalog`. */
  readonly name: string
  readonly title?: string
  readonly version: string
  /** Compatibility level of the service; default the latest. */
  readonly level?: Level
  /** URL of the database; a relative SQLite file lies below the application's folder. Default `sqlite:data/<name>.db`. */
  readonly database?: string
  /** Where documents are kept. Default `data/documents`. */
  readonly documents?: string
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 8080. */
  readonly port?: number
  /** Login of the user under which calls without credentials run; absent: they are refused. */
  readonly publicUser?: string
  /** Origins of other sites whose pages may call the service; default none. */
  readonly cors?: { readonly origins: readonly string[]; readonly credentials?: boolean }
  /** Address ranges that may call the service, e.g. `10.0.0.0/8`; default all. */
  readonly allowedOrigins?: readonly string[]
  /** Address ranges of proxies in front; their X-Forwarded-… headers are believed. Default none. */
  readonly trustedProxies?: readonly string[]
  readonly log?: { readonly format?: 'json' | 'combined' | 'none'; readonly level?: string }
  /** Most bytes of a request body. Default 10 MiB. */
  readonly maxBodyBytes?: number
  /** Module whose default export fills a new application, run once. */
  readonly setup?: string
  /** Other values per environment (`STEWARD_ENV`, else `NODE_ENV`). */
  readonly environments?: Readonly<Record<string, Partial<Omit<AppDefinition, 'name' | 'version' | 'environments'>>>>
}

/** Reads `app.yaml` of a folder, with the values of the environment put over the common ones. @throws DefinitionError with file and line. */
export async function loadAppDefinition(folder: string, environment: string): Promise<AppDefinition> {
  const { environments, ...common } = (await loadCheckedFile(join(folder, 'app.yaml'), appSchema)) as AppDefinition
  return { ...common, ...environments?.[environment] }
}
