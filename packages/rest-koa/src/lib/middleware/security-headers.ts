import type { Middleware } from 'koa'

export interface SecurityHeadersOptions {
  /** Default: nothing may be loaded, framed or sent, which suits an API. `false`: none, for pages that set their own. */
  readonly contentSecurityPolicy?: string | false
  /** Seconds for which browsers shall use https only. Default none; set it where the service is reached by https. */
  readonly strictTransportSecuritySeconds?: number
}

/** Sets headers that make browsers careful, on all answers that pass through. */
export function securityHeaders(options: SecurityHeadersOptions = {}): Middleware {
  const {
    contentSecurityPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    strictTransportSecuritySeconds,
  } = options
  const headers: Record<string, string> = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(contentSecurityPolicy !== false && { 'Content-Security-Policy': contentSecurityPolicy }),
    ...(strictTransportSecuritySeconds !== undefined && {
      'Strict-Transport-Security': `max-age=${strictTransportSecuritySeconds}`,
    }),
  }
  return function securityHeaders(context, next) {
    for (const name in headers) context.res.setHeader(name, headers[name] as string)
    return next()
  }
}
