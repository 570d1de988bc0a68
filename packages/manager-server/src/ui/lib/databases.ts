const names: Readonly<Record<string, string>> = {
  sqlite: 'SQLite',
  postgresql: 'PostgreSQL',
  mysql: 'MySQL',
  oracle: 'Oracle',
  mssql: 'SQL Server',
}

/** A type of database as its maker writes it. */
export function databaseName(type: string): string {
  return names[type] ?? type
}
