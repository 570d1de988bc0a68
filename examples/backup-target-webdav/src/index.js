// @ts-check
import { TargetError } from '@steward/backup-targets'
import { createWebdavTarget } from './webdav-target.js'

/**
 * What Steward looks for in a package that is named as the type of a target.
 *
 * @type {import('@steward/backup-targets').TargetType}
 */
export const target = {
  name: 'webdav',
  title: 'WebDAV: Nextcloud, ownCloud, Apache, rclone …',
  options: [
    { name: 'url', summary: 'Address of a folder that is there, https://… or http://…', required: true },
    { name: 'user', summary: 'User (default: none is sent)' },
    { name: 'password', summary: 'Password of the user', secret: true },
    { name: 'prefix', summary: 'What the names of all objects begin with, as backups/', default: '' },
  ],

  async open({ url = '', user, password, prefix = '' }) {
    const address = URL.canParse(url) ? new URL(url) : undefined
    if (!address || !/^https?:$/.test(address.protocol) || address.username !== '')
      throw new TargetError('ERR_TARGET_SETTINGS', 'The url of a WebDAV target is no http or https address.', {
        help: 'Name the user and the password by their own options, not within the url.',
      })
    if (!/^([A-Za-z0-9_][A-Za-z0-9._-]*\/)*$/.test(prefix))
      throw new TargetError(
        'ERR_TARGET_SETTINGS',
        `The prefix ${JSON.stringify(prefix)} is no path that ends with "/".`,
      )
    return createWebdavTarget({ url: address.href, user, password, prefix })
  },

  describe: ({ url = '', prefix = '' }) => `${url.replace(/\/?$/, '/')}${prefix}`,
}
