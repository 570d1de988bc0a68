import type { Principal } from '@steward/rest-core'

/** What the application says about itself. Source: docs/spec/wire-decisions.md, "app info". */
export interface AppDescription {
  readonly name: string
  /** For people. Default: the name. */
  readonly title?: string
  readonly version?: string
  /** Version of what the application runs on. */
  readonly platformVersion?: string
  /** Name of the server program. */
  readonly server?: string
  /** `<Name>` of the header `X-<Name>-Authorization`, as in `createAuthentication`, for the documentation. Default `Steward`. */
  readonly authorizationHeader?: string
}

/** The session of a call as it is answered. Source: docs/spec/wire-decisions.md, "app info". */
export interface SessionInfo {
  /** Stable while the same credentials are used; says nothing about them. */
  readonly id: string
  readonly authtoken?: string
  /** Absolute, in ms since the Unix epoch. */
  readonly authtokenexpiry?: number
}

/** The answer to a GET on the base address. */
export function appInfo(
  app: AppDescription,
  principal: Principal,
  session: SessionInfo | undefined,
): Record<string, unknown> {
  const { login, userId, firstname, lastname, email, lang, groups } = principal
  return {
    name: app.name,
    title: app.title ?? app.name,
    version: app.version ?? '',
    platformversion: app.platformVersion ?? '',
    encoding: 'UTF-8',
    server: app.server ?? '',
    user: { login, userid: userId, firstname, lastname, email, lang, responsibilities: groups },
    ...sessionInfo(principal, session),
  }
}

/** The answer with `session=true`. */
export function sessionInfo({ login, userId }: Principal, session: SessionInfo | undefined): Record<string, unknown> {
  const { id = '', ...token } = session ?? {}
  return { session: { id, login, userid: userId, ...token } }
}
