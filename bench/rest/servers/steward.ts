import { createAuthentication, restRouter } from '@steward/rest-koa'
import type { ObjectHooks } from '@steward/rest-core'
import Koa from 'koa'
import type { Target } from '../databases.ts'
import type { OpenServer } from '../servers.ts'
import { openSteward } from '../steward-app.ts'

/** This project, with authentication, rights, hooks and ETags switched on. */
export const open: OpenServer = (target) => serveSteward(target)

export async function serveSteward(target: Target, hooks?: ObjectHooks): ReturnType<OpenServer> {
  const { service, directory } = await openSteward(target, hooks)
  const { authenticate } = createAuthentication({ authenticator: directory })
  return new Koa().use(restRouter(service, { authenticate, respond: 'direct' }).routes()).callback()
}
