import { ManagerError } from '../../errors.js'
import { createArchive, downloadTypes, type DownloadType } from '../download/create-archive.js'
import { stampOf } from '../backup/new-backup.js'
import type { Action } from './action.js'

export const download: Action = {
  name: 'download',
  group: 'Backups',
  summary: 'Pack an instance, or a part of it, into one .tar.gz',
  description:
    'all: application, data, the application server and start.sh, with which it starts on another machine with nothing ' +
    'but Node (its database becomes an SQLite file). webapp: the application. data: files, and the database as a dump. ' +
    'logs: its logs. It goes on running meanwhile. APPS_ALLOWDOWNLOAD=no switches downloads off.',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'Instance to download' },
    { name: 'type', type: 'choice', choices: downloadTypes, summary: 'What of it (default: all)' },
  ],
  options: [
    {
      name: 'output',
      short: 'o',
      type: 'file',
      summary: 'File to write (default: one in this folder; - is standard output)',
    },
  ],
  ability: 'sensitive',
  mutating: false,
  examples: ['download demo', 'download demo logs', 'download demo data --output demo.tar.gz'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    if (!context.settings.global.allowDownload)
      throw new ManagerError('ERR_STATE', 'Instances may not be downloaded here (APPS_ALLOWDOWNLOAD=no).', {
        command: 'config',
      })
    const instance = context.registry.get(input.name as string)
    const type = (input.type as DownloadType | undefined) ?? 'all'
    const name = `${instance.name}-${type}-${stampOf(context.clock())}.tar.gz`
    return {
      message: `${name} of instance "${instance.name}".`,
      file: {
        name,
        mime: 'application/gzip',
        content: () => createArchive(context, instance, type, caller.signal),
      },
    }
  },
}
