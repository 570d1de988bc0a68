/** Lines of `config.sh` by which instances can have databases on these servers, each URL that of an administrator. */
export function databaseConfig(...urls: readonly string[]): string[] {
  const servers = urls.map((url) => {
    const { protocol, hostname, port, username, password } = new URL(url)
    return { type: protocol.startsWith('postgres') ? 'postgresql' : 'mysql', hostname, port, username, password }
  })
  return [
    `export APPS_DATABASES=${['sqlite', ...servers.map(({ type }) => type)].join(',')}`,
    ...servers.flatMap(({ type, hostname, port, username, password }) => {
      const name = `APPS_${type.toUpperCase()}`
      return [
        `export ${name}_HOST=${hostname}`,
        `export ${name}_PORT=${port}`,
        `export ${name}_ADMINUSER=${decodeURIComponent(username)}`,
        `export ${name}_ADMINPASSWORD='${decodeURIComponent(password)}'`,
      ]
    }),
  ]
}
