import { expect, test } from 'vitest'
import { createStore } from '../../index.js'

const secret = 'tiger'

const forms = {
  postgresql: 'postgresql://user:password@host:5432/database',
  mysql: 'mysql://user:password@host:3306/database',
  mssql: 'mssql://user:password@host:1433/database',
  oracle: 'oracle://user:password@host:1521/service',
} as const

const all = Object.keys(forms) as (keyof typeof forms)[]

/** What follows the scheme, with what is said about it, on these databases. */
const wrong: readonly (readonly [string, RegExp, readonly (keyof typeof forms)[]])[] = [
  [`//app:${secret}@host:port/app`, /port that is not a number from 1 to 65535/, all],
  [`//app:${secret}@host:70000/app`, /port that is not a number/, all],
  [`//app:${secret}@host:0/app`, /port that is not a number/, all],
  [`//app:${secret}@[::1]:x/app`, /port that is not a number/, all],
  [`//app:${secret}@ho st/app`, /cannot be read/, all],
  [`app:${secret}@host/app`, /cannot be read/, all],
  [`//app:50%${secret}@host/app`, /a % in its password that does not start a character/, all],
  [`//app:%ff${secret}@host/app`, /a % in its password/, all],
  [`//50%:${secret}@host/app`, /a % in its user/, all],
  [`//app:${secret}@host/50%`, /a % in its (?:database|service)/, all],
  [`//app:${secret}@host/app?encrypt=50%`, /a % in its parameters/, all],
  // What a password does to its URL that is not encoded.
  [`//app:1/${secret}@host/app`, /%2F for \//, all],
  [`//app:1?${secret}@host/app`, /%3F for \?/, all],
  [`//app:1?${secret}&a=b@host/app`, /%3F for \?/, all],
  [`//app:1#${secret}@host/app`, /%23 for #/, all],
  [`//app:a@b/${secret}@host/app`, /%40 for @/, all],
  [`//app:${secret}@host/app?colour=red`, /has the parameter "colour", which is unknown \(parameters are/, all],
  [`//app:${secret}@host/app?a b=red`, /has a parameter, which is unknown/, all],
  [`//app:${secret}@host/app?__proto__=red`, /unknown/, all],
  [`//app:${secret}@host/app?trustservercertificate=true`, /is "trustServerCertificate" meant\?/, ['mssql']],
  ['//', /names no host/, ['mysql', 'mssql', 'oracle']],
  ['///app', /names no host/, ['mysql', 'mssql', 'oracle']],
  ['//x', /names no (?:database|service)/, ['mysql', 'mssql', 'oracle']],
  [`//app:${secret}@host`, /names no (?:database|service)/, ['mysql', 'mssql', 'oracle']],
  [`//app:${secret}@host/`, /names no (?:database|service)/, ['mysql', 'mssql', 'oracle']],
  ['//host/app', /names no user/, ['mssql', 'oracle']],
]

test.each(all.flatMap((name) => wrong.filter(([, , on]) => on.includes(name)).map((row) => [name, ...row] as const)))(
  'createStore() refuses %s:%s in one line that shows what it looks like, and not the password',
  async (name, rest, what) => {
    const error: unknown = await createStore(`${name}:${rest}`).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    const { message, cause } = error as Error
    expect(message).toMatch(what)
    expect(message).toContain(forms[name])
    expect(message).not.toContain('\n')
    expect(message).not.toContain(secret)
    expect(cause).toBeUndefined()
  },
)

test.each([
  'postgresql:///app',
  'postgresql://host',
  'postgresql://%2Fvar%2Frun/app',
  'postgresql://app@host/app?sslmode=require&channel_binding=require',
  'POSTGRES://app@[::1]:5432/app',
  'mysql://app:p%40%2F%25@host/app?ssl={"rejectUnauthorized":false}',
  'mariadb://host/app?timezone=Z',
  'mssql://app@host?database=app&encrypt=strict',
  'sqlserver://app:p%3A@[::1]:1433/a%20b?trustServerCertificate=true',
  'oracle://app:p%40@host/app?RETRY_COUNT=3&wallet_location=/w',
])('createStore() takes %s', async (url) => {
  const store = await createStore(url)
  await store.close()
})

test.each(['file://elsewhere/app.db', 'file:///a%zz.db', 'sqlite:', 'sqlite://'])(
  'createStore() refuses %s',
  async (url) => {
    await expect(createStore(url)).rejects.toThrow(/^The database URL .*sqlite:<path>/)
  },
)
