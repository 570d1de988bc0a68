import { Router } from '@koa/router'
import { answerOfChallenge, challengePath, type Manager } from '@steward/manager-core'
import type { ServerState } from './server-state.js'

/** Answers authorities that look whether a host is ours (RFC 8555, 8.3); for any host, below no prefix. */
export function acmeChallengeRouter({ context: { home } }: Pick<Manager, 'context'>): Router<ServerState> {
  const router = new Router<ServerState>({ sensitive: true, strict: true })
  return router.all('challenge', `${challengePath}{*token}`, (context) => {
    context.set('Cache-Control', 'no-store')
    const answer = answerOfChallenge(home, context.path.slice(challengePath.length))
    context.type = 'application/octet-stream'
    context.status = answer === undefined ? 404 : 200
    context.body = answer ?? 'There is no such challenge.\n'
  })
}
