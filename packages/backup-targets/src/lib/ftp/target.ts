import type { RemoteFiles } from '../remote-files/remote-files.js'
import { describeServer } from '../remote-files/server-address.js'
import { createRemoteTarget } from '../remote-files/target.js'
import type { TargetType } from '../target-type.js'
import { FtpConnections } from './connections.js'
import { ftpFiles } from './files.js'
import { readSettings, type FtpSettings } from './settings.js'

/** Files on an FTP server; uploads resume where the server can append. */
export const target: TargetType = {
  name: 'ftp',
  title: 'FTP, encrypted by TLS or plain',
  options: [
    { name: 'server', summary: 'Host, or host:port', required: true },
    { name: 'port', summary: 'Port; default is 21, or 990 for implicit TLS' },
    { name: 'user', summary: 'User', default: 'anonymous' },
    { name: 'password', summary: 'Password', secret: true },
    { name: 'path', summary: 'Folder, which must be there; default is the one after log-in' },
    { name: 'tls', summary: '"explicit", "implicit", or "none": all can be read on its way', default: 'explicit' },
    { name: 'ca', summary: 'File of trusted certificates (PEM); default are those of Node.js' },
  ],
  open(options, context) {
    const settings = readSettings(options, context)
    return createRemoteTarget(() => connect(settings))
  },
  describe: (options) => describeServer(options.tls === 'none' ? 'ftp' : 'ftps', options),
}

/** Logs in and finds out what the server can do. */
async function connect(settings: FtpSettings): Promise<RemoteFiles> {
  const connections = new FtpConnections(settings)
  return ftpFiles(connections, await connections.use(undefined, (client) => client.features()))
}
