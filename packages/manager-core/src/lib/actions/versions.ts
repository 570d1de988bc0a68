import type { Action } from '../action.js'
import { countText } from '../domain/readable.js'
import type { TemplateVersion } from '../templates/template-source.js'
import { defineAction } from './define-action.js'
import { refreshAction } from './refresh.js'
import { rollback } from './rollback.js'
import { setVersionAction, upgradeAction, upgradeAllAction } from './upgrade.js'

/** A version, as `versions` answers it. */
export type WireVersion = Omit<TemplateVersion, 'isDefault' | 'folder'> & { readonly default: boolean }

export const versionActions: readonly Action[] = [
  defineAction({
    name: 'versions',
    group: 'Manager',
    summary: 'List the versions available for instances',
    description:
      'Versions are the files version-<version>.sh in the home. Each names its template (APPS_TEMPLATE): default, ' +
      'folder:<path>, git:<url>#<branch, tag or commit>, or npm:<name>@<range>. "refresh" fetches the templates. ' +
      'If one cannot be loaded, the previous one stays in use, and the problem is shown here.',
    ability: 'read',
    mutating: false,
    scoped: true,
    examples: ['versions', 'versions --json'],
    view: {
      type: 'table',
      columns: ['version', 'date', 'default', 'title', 'location', 'problem'],
      empty: 'No version has been fetched yet.',
    },
    async handler({ context }) {
      const versions = await context.templates.list()
      const list = versions.map(({ isDefault, folder: _folder, ...version }): WireVersion => ({
        ...version,
        default: isDefault,
      }))
      const missing = (await context.templates.failed()).filter(({ isFetched }) => !isFetched)
      return {
        message: countText(list.length, 'version'),
        list,
        warnings: missing.map(({ version, problem }) => `Version ${version} cannot be used: ${problem}`),
      }
    },
  }),
  refreshAction,
  upgradeAction,
  rollback,
  upgradeAllAction,
  setVersionAction,
]
