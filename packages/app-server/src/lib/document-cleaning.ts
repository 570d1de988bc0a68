import { cleanDocuments } from '@steward/rest-core'
import type { CleanDocumentsOptions } from '@steward/rest-core'
import type { Logger } from 'pino'

const dayMs = 86_400_000

export interface DocumentCleaning {
  /** Lets the document that is being removed go, and ends. */
  stop(): Promise<void>
}

/** Removes documents that no record refers to, now and once a day, while the application serves. */
export function startDocumentCleaning({
  logger,
  ...options
}: Omit<CleanDocumentsOptions, 'signal'> & { readonly logger: Logger }): DocumentCleaning {
  const ending = new AbortController()
  let cleaning = clean()
  const timer = setInterval(() => (cleaning = clean()), dayMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      ending.abort()
      await cleaning
    },
  }

  async function clean(): Promise<void> {
    try {
      const removed = await cleanDocuments({ ...options, signal: ending.signal })
      if (removed > 0) logger.info(`${removed} documents that no record refers to were removed`)
    } catch (error) {
      logger.error(error, 'Documents that no record refers to could not be removed')
    }
  }
}
