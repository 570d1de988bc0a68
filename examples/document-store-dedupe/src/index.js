// @ts-check
import { createDedupingStore } from './deduping-store.js'

/**
 * What Steward looks for in a package that `documents` of `app.yaml` names.
 *
 * @type {import('@steward/rest-core').DocumentStorePlugin}
 */
export const documents = {
  open(options, { dataFolder }) {
    const { folder = 'documents', ...others } = options
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) throw new Error(`There is no option "${unknown}"; there is "folder".`)
    if (typeof folder !== 'string' || folder === '') throw new Error('folder must be the path of a folder.')
    return createDedupingStore({ folder, dataFolder })
  },
}
