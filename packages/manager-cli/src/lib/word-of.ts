/** Underscores are of the HTTP API: `auto_save` is `--auto-save` here. */
export function wordOf(name: string): string {
  return name.replaceAll('_', '-')
}
