import type { DatabaseType } from '../domain/instance.js'

const types: Readonly<Record<string, Exclude<DatabaseType, 'sqlite'>>> = {
  'postgres:': 'postgresql',
  'postgresql:': 'postgresql',
  'mysql:': 'mysql',
  'mssql:': 'mssql',
  'oracle:': 'oracle',
}

/** Type of the database at a URL. */
export function databaseTypeOf(url: string): Exclude<DatabaseType, 'sqlite'> {
  return types[new URL(url).protocol] ?? 'mysql'
}

/** Lines of `config.sh` by which instances can have databases on these servers, each URL that of an administrator. */
export function databaseConfig(...urls: readonly string[]): string[] {
  return [
    `export APPS_DATABASES=${['sqlite', ...urls.map(databaseTypeOf)].join(',')}`,
    ...urls.flatMap((url) => {
      const { hostname, port, username, password, pathname, searchParams } = new URL(url)
      const type = databaseTypeOf(url)
      const name = `APPS_${type.toUpperCase()}`
      const isTrusted = searchParams.get('trustServerCertificate') === 'true'
      const encryption = searchParams.get('encrypt') === 'false' ? 'no' : isTrusted ? 'trust' : 'yes'
      return [
        `export ${name}_HOST=${hostname}`,
        ...(port === '' ? [] : [`export ${name}_PORT=${port}`]),
        `export ${name}_ADMINUSER=${decodeURIComponent(username)}`,
        `export ${name}_ADMINPASSWORD='${decodeURIComponent(password)}'`,
        ...(type === 'oracle' ? [`export ${name}_SERVICE=${pathname.slice(1)}`] : []),
        ...(type === 'mssql' ? [`export ${name}_ENCRYPT=${encryption}`] : []),
      ]
    }),
  ]
}
