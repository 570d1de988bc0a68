import { ManagerError } from '../../errors.js'
import { isolationWarnings } from '../accounts/why-not.js'
import type { ManagerContext } from '../context.js'
import { withoutCredentials } from '../domain/secret-names.js'
import { defaultUrl, makeHome } from '../settings/make-home.js'
import { globalTable } from '../settings/tables/global.js'
import { parseValue } from '../settings/variable.js'
import { defineAction } from './define-action.js'

export const initAction = defineAction({
  name: 'init',
  group: 'Manager',
  summary: "Create a manager's home: settings, folders, registry and a first version",
  description:
    'The home is the folder of --home, else APPS_HOME, else the current folder if it has a config.sh, else ' +
    '.manager in it if that has one, else ~/.steward. Existing files are never changed, so you can run this ' +
    'again. A new config.sh contains a generated password for the pages and the API, APPS_PASSWORD.',
  options: [
    { name: 'url', type: 'text', summary: `Address of the manager, APPS_BASEURL (default: ${defaultUrl})` },
    { name: 'force', type: 'flag', summary: 'Allow a folder that contains other files' },
  ],
  ability: 'admin',
  mutating: true,
  surfaces: ['cli'],
  standalone: true,
  examples: ['init', 'init --home /srv/apps --url https://apps.example.org'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const { home } = context
    const { dryRun = false } = caller
    const parsed = parseValue(globalTable.APPS_BASEURL, input.url ?? defaultUrl)
    if ('allowed' in parsed)
      throw new ManagerError(
        'ERR_USAGE',
        `"${withoutCredentials(String(input.url)).slice(0, 100)}" is not a valid manager address. It must be ` +
          `${parsed.allowed}.`,
      )
    const made = makeHome(home, { baseUrl: String(parsed.value), force: input.force, dryRun })
    if (dryRun)
      return {
        message: `${home.folder}: ${made.join(', ') || 'nothing'} would be created.`,
        item: { home: home.folder, made },
      }
    // Makes the registry.
    context.registry.count()
    const { versions, warnings } = await refresh(context)
    const about = made.includes('config.sh') ? ' The password of the pages is in config.sh: APPS_PASSWORD.' : ''
    const message =
      made.length === 0
        ? `${home.folder} is already a manager's home. Nothing was changed.`
        : `The manager's home is ${home.folder}. Created: ${made.join(', ')}.${about}`
    return {
      message,
      warnings: [...warnings, ...isolationWarnings(context)],
      item: { home: home.folder, made, versions },
    }
  },
})

/** A version that cannot be fetched now can be later: the home is good without it. */
async function refresh(context: ManagerContext) {
  try {
    const { versions } = await context.templates.refresh()
    const failed = versions.filter(({ result }) => result === 'failed')
    return {
      versions: versions.filter(({ result }) => result !== 'failed').map(({ version }) => version),
      warnings: failed.map(({ version, error }) => `Version ${version} was not fetched: ${error}`),
    }
  } catch (error) {
    return { versions: [], warnings: [`The versions were not fetched: ${(error as Error).message}`] }
  }
}
