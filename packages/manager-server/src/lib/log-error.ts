/** Of clients that are gone. */
const ordinary: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Mistakes of the server, for whoever looks after it; what clients do is none. */
export function logError(error: unknown): void {
  if (ordinary.has((error as NodeJS.ErrnoException).code)) return
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
