import { createRemoteTarget } from '../remote-files/target.js'
import { describeServer } from '../remote-files/server-address.js'
import type { TargetType } from '../target-type.js'
import { FtpConnections } from './connections.js'
import { ftpFiles } from './files.js'
import { ftpSettings } from './settings.js'

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
    const settings = ftpSettings(options, context)
    return createRemoteTarget(async () => {
      const connections = new FtpConnections(settings)
      const features = await connections.use(undefined, (client) => client.features())
      return ftpFiles(connections, features)
    })
  },
  describe: (options) => describeServer(options.tls === 'none' ? 'ftp' : 'ftps', options),
}
