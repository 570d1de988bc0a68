import { createAuthentication, restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import type { OpenServer } from '../servers.ts'
import { openSteward } from '../steward-app.ts'

/** This project, with authentication, rights, hooks and ETags switched on. */
export const open: OpenServer = async (target) => {
  const { service, directory } = await openSteward(target)
  const { authenticate } = createAuthentication({ authenticator: directory })
  return new Koa().use(restRouter(service, { authenticate })).callback()
}
