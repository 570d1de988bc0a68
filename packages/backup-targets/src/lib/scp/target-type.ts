import { createRemoteTarget } from '../remote-files/target.js'
import { describeServer } from '../remote-files/server-address.js'
import type { TargetType } from '../target-type.js'
import { connectFiles } from './connect-files.js'
import { sshSettings } from './settings.js'

export const target: TargetType = {
  name: 'scp',
  title: 'SCP and SFTP',
  options: [
    { name: 'server', summary: 'Host, or host:port; also a name of ssh_config', required: true },
    { name: 'port', summary: 'Port; default is that of ssh_config, or 22' },
    { name: 'user', summary: 'User; default is that of ssh_config, or the current one' },
    { name: 'path', summary: 'Folder, which must be there; default is the one after log-in' },
    { name: 'key', summary: 'File of the private key; default are those of ssh_config and the agent' },
    { name: 'known_hosts', summary: 'File of known host keys; default are those of ssh_config' },
  ],
  open: (options, context) => {
    const settings = sshSettings(options, context)
    return createRemoteTarget(() => connectFiles(settings))
  },
  describe: (options) => describeServer('scp', options),
}
