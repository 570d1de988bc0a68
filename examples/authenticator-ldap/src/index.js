// @ts-check
import { RestError } from '@steward/rest-core/errors'
import { Client, EqualityFilter, InvalidCredentialsError } from 'ldapts'
import { readOptions } from './options.js'

/**
 * Checks passwords by an LDAP directory. Who signs in needs a user of the same login in the application, whose groups and
 * rights hold.
 *
 * @type {import('@steward/rest-koa').AuthenticatorPlugin}
 */
export const authenticator = {
  open(given, { users }) {
    const options = readOptions(given)

    return {
      async verifyPassword(login, password) {
        if (options.localLogins.includes(login)) return users.verifyPassword(login, password)
        // A directory takes a bind without a password for an anonymous one, and says that it is right.
        if (password === '' || !isPlain(login) || !isPlain(password)) return undefined
        return (await isRight(login, password)) ? users.principalOfLogin(login) : undefined
      },
      principalOf: (userId) => users.principalOf(userId),
    }

    /** @param {string} login @param {string} password */
    async function isRight(login, password) {
      const client = new Client({ url: options.url, connectTimeout: options.timeoutMs, timeout: options.timeoutMs })
      try {
        if (options.startTls) await client.startTLS()
        if (options.bindDn !== undefined) await client.bind(options.bindDn, options.bindPassword)
        const { searchEntries } = await client.search(options.baseDn, {
          scope: 'sub',
          filter: new EqualityFilter({ attribute: options.loginAttribute, value: login }),
          attributes: ['1.1'],
          sizeLimit: 2,
        })
        const [entry, second] = searchEntries
        if (!entry || second) return false
        return await binds(client, entry.dn, password)
      } catch (error) {
        throw new RestError(
          'ERR_UNAVAILABLE',
          'The directory that checks passwords cannot be asked; try again later.',
          {
            cause: error,
          },
        )
      } finally {
        await client.unbind().catch(() => undefined)
      }
    }
  },
}

/** @param {Client} client @param {string} dn @param {string} password */
async function binds(client, dn, password) {
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    if (error instanceof InvalidCredentialsError) return false
    throw error
  }
}

/** No user has a longer name or password, or one with characters that cannot be typed. @param {string} text */
function isPlain(text) {
  return text.length <= 256 && text.isWellFormed() && !/\p{Cc}/u.test(text)
}
