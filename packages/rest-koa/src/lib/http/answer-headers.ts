/**
 * Headers of answers that say something to the caller, beside those that pages of other origins may read anyway
 * (`Content-Type`, `Content-Length`, `Cache-Control`, …): all that is set anywhere must be here.
 */
export const answerHeaders: readonly string[] = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Dry-Run',
  'X-Next-Cursor',
  'X-Request-Id',
  'X-Total-Count',
]
