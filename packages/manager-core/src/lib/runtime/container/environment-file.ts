/** A script of the shell that sets variables and lets programs inherit them. */
export function environmentFile(environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment)
    // Others no shell takes, nor passes on.
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`)
  return `${lines.join('\n')}\n`
}
