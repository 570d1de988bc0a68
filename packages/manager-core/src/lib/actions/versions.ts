import type { Action } from './action.js'
import { refreshAction } from './refresh.js'
import { rollback } from './rollback.js'
import { setVersionAction, upgradeAction, upgradeAllAction } from './upgrade.js'

export const versionActions: readonly Action[] = [
  {
    name: 'versions',
    group: 'Manager',
    summary: 'List the versions that instances can be made of',
    description:
      'Versions are the files version-<version>.sh of the home. Each names its template (APPS_TEMPLATE): default, folder:<path>, git:<url>#<branch, tag or commit>, or npm:<name>@<range>. "refresh" fetches them.',
    ability: 'read',
    mutating: false,
    scoped: true,
    examples: ['versions', 'versions --json'],
    view: {
      type: 'table',
      columns: ['version', 'date', 'default', 'title', 'location'],
      empty: 'No version was fetched yet.',
    },
    async handler({ context }) {
      const versions = await context.templates.list()
      const list = versions.map(({ version, date, isDefault, title, revision, location, fetched }) => ({
        ...{ version, date, default: isDefault, title, revision, location, fetched },
      }))
      return { message: list.length === 1 ? '1 version' : `${list.length} versions`, list }
    },
  },
  refreshAction,
  upgradeAction,
  rollback,
  upgradeAllAction,
  setVersionAction,
]
