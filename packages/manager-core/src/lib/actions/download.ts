import { ManagerError } from '../../errors.js'
import type { ActionResult } from '../action.js'
import { stampOf } from '../backup/new-backup.js'
import type { ManagerContext } from '../context.js'
import { createArchive, downloadTypes, type DownloadType } from '../download/create-archive.js'
import { newerAway } from '../backup/known-backups.js'
import { packBackup } from '../download/pack-backup.js'
import { defineAction } from './define-action.js'

export const download = defineAction({
  name: 'download',
  group: 'Backups',
  summary: 'Download an instance, or part of it, as a .tar.gz',
  description:
    'all: application, data, application server and start.sh, which starts it on any machine with Node (its ' +
    'database becomes an SQLite file). webapp: the application. data: files, and a dump of the database. logs: ' +
    'its logs. What is not in it is listed in its LEFT-OUT.txt. The instance keeps running. --backup downloads a backup as a .tar; unpack it in APPS_SAVE_DIR to ' +
    'use it as a backup again. APPS_ALLOWDOWNLOAD=no disables downloads.',
  parameters: [
    { name: 'name', type: 'instance', orGone: true, required: true, summary: 'Instance to download' },
    { name: 'type', type: 'choice', choices: downloadTypes, summary: 'Part to download (default: all)' },
  ],
  options: [
    {
      name: 'backup',
      type: 'text',
      summary: 'Download a backup instead: the prefix of its name, or latest; works for deleted instances too',
    },
    {
      name: 'output',
      short: 'o',
      type: 'file',
      summary: 'File to write (default: one in this folder; - is standard output)',
    },
  ],
  ability: 'sensitive',
  mutating: false,
  examples: [
    'download demo',
    'download demo logs',
    'download demo data --output demo.tar.gz',
    'download demo --backup latest',
  ],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    if (!context.settings.global.allowDownload)
      throw new ManagerError('ERR_STATE', 'Downloads are disabled (APPS_ALLOWDOWNLOAD=no).', {
        command: 'config',
      })
    if (input.backup !== undefined)
      return ofBackup(context, { name: input.name, backup: input.backup, type: input.type })
    const instance = context.registry.get(input.name)
    const type = input.type ?? 'all'
    const name = `${instance.name}-${type}-${stampOf(context.clock())}.tar.gz`
    const warnings: string[] = []
    return {
      message: `${name} of instance "${instance.name}".`,
      file: {
        name,
        mime: 'application/gzip',
        content: () =>
          createArchive(context, instance, type, { signal: caller.signal, warn: (text) => void warnings.push(text) }),
        warnings,
      },
    }
  },
})

async function ofBackup(
  context: ManagerContext,
  { name, backup, type }: { readonly name: string; readonly backup: string; readonly type?: DownloadType | undefined },
): Promise<ActionResult> {
  if (type !== undefined)
    throw new ManagerError('ERR_USAGE', `A backup is downloaded as a whole, not only "${type}" of it.`, {
      command: 'download --help',
    })
  const found = await context.backups.find(name, backup)
  const away = backup === 'latest' ? await newerAway(context, name, found.key) : undefined
  const fetch = away && `manager backups fetch ${name} --from ${away.target}:${away.id}`
  const file = `${found.key.replace('/', '-')}.tar`
  return {
    message: `${file} of the backup ${found.key}.`,
    ...(away && { warnings: [`A newer backup, ${away.id}, is at "${away.target}" only. To get it: ${fetch}`] }),
    file: { name: file, mime: 'application/x-tar', content: () => packBackup(found) },
  }
}
