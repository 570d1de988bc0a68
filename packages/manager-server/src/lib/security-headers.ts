import type { Middleware } from 'koa'
import type { ManagerContext } from '@steward/manager-core'
import type { Addressing } from './addressing.js'
import type { ServerState } from './server-state.js'

/** For pages: nothing from elsewhere, nothing inline. */
const pages: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/** For everything else: it is not a page, whatever a browser takes it for. */
const others = { 'default-src': "'none'", 'frame-ancestors': "'none'", sandbox: '' }

/** Headers that forbid browsers what is not needed. What a route sets itself goes before. */
export function securityHeaders({
  addressing,
  context: { settings },
}: {
  readonly addressing: Addressing
  readonly context: Pick<ManagerContext, 'settings'>
}): Middleware<ServerState> {
  const isForced = settings.global.ssl.mode === 'force'
  const policies = { pages: textOf(pages), others: textOf(others) }
  return async (context, next) => {
    const path = addressing.below(context.path) ?? ''
    const kind = /^\/ui(\/|$)/.test(path) ? 'pages' : 'others'
    context.set({
      'Content-Security-Policy': policies[kind],
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
      'Cache-Control': 'no-store',
      ...(isForced && { 'Strict-Transport-Security': 'max-age=31536000' }),
    })
    await next()
  }
}

function textOf(policy: Readonly<Record<string, string>>): string {
  return Object.entries(policy)
    .map(([directive, value]) => `${directive} ${value}`.trim())
    .join('; ')
}
