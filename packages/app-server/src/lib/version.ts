import { createRequire } from 'node:module'

/** Version of Steward that runs. */
export const platformVersion = (
  createRequire(import.meta.url)('@steward/app-server/package.json') as { version: string }
).version
