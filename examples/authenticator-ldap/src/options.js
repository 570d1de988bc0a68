// @ts-check

/**
 * @typedef {object} LdapOptions
 * @property {string} url `ldaps://…` or `ldap://…`
 * @property {string} baseDn where users are, with all that is below
 * @property {string} loginAttribute
 * @property {string | undefined} bindDn who looks for users; absent: anonymous
 * @property {string} bindPassword
 * @property {boolean} startTls
 * @property {number} timeoutMs
 * @property {readonly string[]} localLogins users whose passwords the application checks itself
 */

const known = ['url', 'baseDn', 'loginAttribute', 'bindDn', 'bindPassword', 'startTls', 'timeoutMs', 'localLogins']

/**
 * @param {Readonly<Record<string, unknown>>} given
 * @returns {LdapOptions}
 */
export function readOptions(given) {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no option "${unknown}"; there are ${known.join(', ')}.`)
  const { url, baseDn, loginAttribute = 'uid', bindDn, bindPassword = '', startTls = false } = given
  const { timeoutMs = 5_000, localLogins = ['admin'] } = given
  if (typeof url !== 'string' || !/^ldaps?:\/\/[^/]+\/?$/.test(url))
    throw new Error('url must be an address such as ldaps://directory.example.com.')
  if (typeof baseDn !== 'string' || baseDn === '')
    throw new Error('baseDn must be the place of the users, such as ou=people,dc=example,dc=com.')
  if (typeof loginAttribute !== 'string' || !/^[a-z][a-z0-9-]*$/i.test(loginAttribute))
    throw new Error('loginAttribute must be the name of an attribute, such as uid or sAMAccountName.')
  if (bindDn !== undefined && (typeof bindDn !== 'string' || bindDn === '' || bindPassword === ''))
    throw new Error('bindDn needs bindPassword.')
  if (typeof bindPassword !== 'string') throw new Error('bindPassword must be a text; put it in quotes.')
  if (typeof startTls !== 'boolean') throw new Error('startTls must be true or false.')
  if (startTls && url.startsWith('ldaps:')) throw new Error('startTls goes with ldap://, not with ldaps://.')
  if (typeof timeoutMs !== 'number' || timeoutMs < 1) throw new Error('timeoutMs must be a number of milliseconds.')
  if (!Array.isArray(localLogins) || !localLogins.every((login) => typeof login === 'string'))
    throw new Error('localLogins must be a list of logins.')
  return { url, baseDn, loginAttribute, bindDn, bindPassword, startTls, timeoutMs, localLogins }
}
