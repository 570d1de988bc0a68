import { fileURLToPath } from 'node:url'

/** Absolute path of the template that ships with the manager; the build puts it there, also for code that is not built. */
export const defaultTemplate = fileURLToPath(new URL('../dist/templates/default', import.meta.url))
