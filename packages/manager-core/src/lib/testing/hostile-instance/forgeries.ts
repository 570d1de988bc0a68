import { archiveForgeries } from './archives.js'
import { dumpForgeries } from './dumps.js'
import type { Forgery } from './forgery.js'
import { manifestForgeries } from './manifests.js'

/** What is changed in backups. */
export const forgeries: readonly Forgery[] = [...archiveForgeries, ...manifestForgeries, ...dumpForgeries]
