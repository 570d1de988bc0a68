import type { Middleware } from 'koa'
import type { HealthOptions } from './health.js'
import { checkHealth, formatHealth } from './health.js'

/**
 * `/ping` says whether the database answers; `/health` reports everything, as INI text, or as JSON with `?format=json` or at
 * `/health.json`. Neither needs credentials. Source: docs/spec/wire-decisions.md, "Application server".
 */
export function healthRouter(options: HealthOptions): Middleware {
  return async function healthRouter(context, next) {
    const { path } = context
    if (path !== '/ping' && path !== '/health' && path !== '/health.json') return next()
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      context.set('Allow', 'GET, HEAD')
      context.throw(405)
    }
    context.set('Cache-Control', 'no-store')
    const health = await checkHealth(
      path === '/ping' ? { ...options, activity: async () => ({}), workers: undefined } : options,
    )
    context.status = health.healthy ? 200 : 503
    if (path === '/ping') context.body = { status: health.healthy ? 'OK' : 'KO' }
    else if (path === '/health.json' || context.query['format'] === 'json') context.body = health.sections
    else context.body = formatHealth(health)
  }
}
