import { ManagerError } from '../../errors.js'
import { addressOf } from '../domain/address.js'

/** Not specified; chosen as what browsers and proxies take. */
const maxLength = 2000

/**
 * A custom URL as it is kept: http or https, with a host, normalised, without a last slash.
 *
 * @throws ManagerError ERR_USAGE
 */
export function checkUrl(text: string): string {
  const url = URL.parse(text.trim())
  if (url?.username || url?.password)
    throw new ManagerError(
      'ERR_USAGE',
      'A custom URL must not contain a user or password, because everyone can see it.',
    )
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text
  const refused = (help: string) => new ManagerError('ERR_USAGE', `"${shown}" cannot be a custom URL.`, { help })
  if (!url || !['http:', 'https:'].includes(url.protocol) || text.length > maxLength)
    throw refused('It must be an address such as https://sales.example.com')
  if (url.search || url.hash) throw refused('It may have a path, but no ? or #, because paths are appended to it.')
  if (!addressOf(url.href))
    throw refused(
      'Its host and path may only contain letters, digits, "-", "_" and ".", because a reverse proxy publishes it.',
    )
  return url.href.replace(/\/+$/, '')
}
