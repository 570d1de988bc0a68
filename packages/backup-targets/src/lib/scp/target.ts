import { describeServer } from '../remote-files/server-address.js'
import { createRemoteTarget } from '../remote-files/target.js'
import type { RemoteFiles } from '../remote-files/remote-files.js'
import type { TargetType } from '../target-type.js'
import { SftpConnections } from './connections.js'
import { withFastCiphers } from './fast-ciphers.js'
import { sftpFiles } from './files.js'
import { findHasher } from './hash.js'
import { readSettings, type SshSettings } from './settings.js'
import { canLink } from './write.js'

/** Files on an SSH server, by SFTP. */
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
  open(options, context) {
    const settings = readSettings(options, context)
    return createRemoteTarget(() => connect(settings))
  },
  describe: (options) => describeServer('scp', options),
}

/** Logs in and finds out what the server can do besides SFTP. */
async function connect(settings: SshSettings): Promise<RemoteFiles> {
  const connections = new SftpConnections(await withFastCiphers(settings))
  try {
    return await connections.use(undefined, async (session) => {
      const [movesExclusively, hasher] = await Promise.all([canLink(session), findHasher(session)])
      return sftpFiles(connections, { movesExclusively, hasher })
    })
  } catch (error) {
    connections.close()
    throw error
  }
}
