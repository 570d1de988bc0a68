/** What the URLs of a database look like. */
export interface UrlForm {
  /** The first one is that of the example. */
  readonly schemes: readonly string[]
  /** What the database calls the last part: `database`, or `service`. */
  readonly path: string
  readonly defaultPort: number
  /** Parts without which nothing can be reached. */
  readonly needs: readonly ('host' | 'user' | 'path')[]
  /** Names after `?`. */
  readonly parameters: ReadonlySet<string>
  /** Where they are described, with one as example. */
  readonly parametersAre: string
  /** Oracle reads the names of parameters without case. Default false. */
  readonly anyCase?: boolean
}

export interface DatabaseUrl {
  /** Decoded, addresses of IPv6 in brackets; empty when it is not there, as user, password and path. */
  readonly host: string
  readonly port: number | undefined
  readonly user: string
  readonly password: string
  readonly path: string
  /** As it stands there, with the `?`. */
  readonly search: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Takes the URL of a database apart.
 *
 * @throws TypeError of one line: what is wrong, and what it looks like. It holds nothing that could belong to the password,
 * wherever characters that are not encoded have put that.
 */
export function readDatabaseUrl(text: string, form: UrlForm): DatabaseUrl {
  const [, scheme, authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*:)\/\/([^/?#]*)(.*)$/is.exec(text) ?? []
  if (scheme === undefined) throw refusal(form, 'cannot be read')
  if (!form.schemes.includes(scheme.toLowerCase())) throw refusal(form, `has the scheme "${scheme.toLowerCase()}"`)
  // The password ends at the last "@"; one after the host means that part of the password was read as something else.
  if (/^[^?]*@/s.test(rest) || (rest.includes('@') && !authority.includes('@')) || rest.includes('#'))
    throw refusal(
      form,
      'has a character in user, password or a name that must be encoded (%25 for %, %40 for @, %2F for /, %3F for ?, %23 for #)',
    )
  const place = authority.slice(authority.lastIndexOf('@') + 1)
  const [, port] = /:([^\]]*)$/.exec(place) ?? []
  if (port !== undefined && port !== '' && !isPort(port))
    throw refusal(form, 'has a port that is not a number from 1 to 65535')
  if (!URL.canParse(text)) throw refusal(form, 'cannot be read')
  const url = new URL(text)
  const parameters = parametersOf(url, form)
  const found = {
    host: decoded(url.hostname, 'host', form),
    port: port === undefined || port === '' ? undefined : Number(port),
    user: decoded(url.username, 'user', form),
    password: decoded(url.password, 'password', form),
    path: decoded(url.pathname.slice(1), form.path, form),
    search: url.search,
    parameters,
  }
  for (const part of form.needs) {
    if (found[part] === '' && !parameters.has(part === 'path' ? form.path : part))
      throw refusal(form, `names no ${part === 'path' ? form.path : part}`)
  }
  return found
}

function parametersOf({ search, searchParams }: URL, form: UrlForm): ReadonlyMap<string, string> {
  decoded(search, 'parameters', form)
  for (const name of searchParams.keys()) {
    if (form.parameters.has(form.anyCase ? name.toLowerCase() : name)) continue
    const meant = [...form.parameters].find((known) => known.toLowerCase() === name.toLowerCase())
    // A name with other characters may be a piece of the password.
    const named = /^[\w-]{1,40}$/.test(name) && !search.includes('@') ? `the parameter "${name}"` : 'a parameter'
    const hint = meant === undefined ? `parameters are ${form.parametersAre}` : `is "${meant}" meant?`
    throw refusal(form, `has ${named}, which is unknown (${hint})`)
  }
  return new Map(searchParams)
}

function decoded(text: string, part: string, form: UrlForm): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refusal(form, `has a % in its ${part} that does not start a character (write %25 for %)`)
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
}

function refusal({ schemes, defaultPort, path }: UrlForm, what: string): TypeError {
  return new TypeError(
    `The database URL ${what}; write one like ${schemes[0]}//user:password@host:${defaultPort}/${path}.`,
  )
}

/** Where the database is, without the password. */
export function placeInUrl({ host, port, user, path }: DatabaseUrl): object {
  return { host, port, user, database: path }
}
