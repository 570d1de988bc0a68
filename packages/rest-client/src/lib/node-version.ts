const least = [22, 18] as const

/** Whether this Node can run Steward. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > least[0] || (major === least[0] && minor >= least[1])
}

/** The one line that an older Node ends with. */
export function unsupportedNode(program: string, version: string): string {
  return `${program} needs Node ${least.join('.')} or newer; this is Node ${version}.\n`
}
