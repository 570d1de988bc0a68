import { Router } from '@koa/router'
import type { Context } from 'koa'
import type { HealthOptions } from './health.js'
import { checkHealth, formatHealth } from './health.js'

/**
 * `/ping` says whether the database answers; `/health` reports everything, as INI text, or as JSON with `?format=json` or at
 * `/health.json`. Neither needs credentials. Source: docs/spec/wire-decisions.md, "Application server".
 */
export function healthRouter(options: HealthOptions): Router {
  const router = new Router({ sensitive: true, strict: true })
  for (const path of ['/ping', '/health', '/health.json'] as const)
    router.all(path.slice(1), path, (context) => answer(context, path))
  return router

  async function answer(context: Context, path: '/ping' | '/health' | '/health.json'): Promise<void> {
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
