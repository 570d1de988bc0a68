const pattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Words of `--to`, and those that have variables of their own. */
const taken: ReadonlySet<string> = new Set(['all', 'none', 'scp', 'ftp', 'swift', 'swift-alt', 's3', 'gcs'])

/** What APPS_TARGETS may hold, as words that follow "must be". */
export const allowedTargetNames =
  'names of lower-case letters, digits and "-", separated by commas, but not all, none, or one that has variables of its own, such as scp'

export function isTargetName(text: string): boolean {
  return text.length <= 40 && pattern.test(text) && !taken.has(text)
}

const prefix = 'APPS_TARGET_'

/** For a target in APPS_TARGETS: `APPS_TARGET_NAS_PATH` is the option `path` of the target `nas`. */
export function targetVariable(target: string, option: string): string {
  return `${prefix}${target.replaceAll('-', '_')}_${option}`.toUpperCase()
}

/** The variable of an option of any target: `APPS_FTP_TLS`, `APPS_TARGET_NAS_PATH`. */
export function variableOfOption(target: string, option: string): string {
  if (isTargetName(target)) return targetVariable(target, option)
  return `APPS_${target === 'swift-alt' ? 'swift' : target}_${option}`.toUpperCase()
}

/** Whether a variable is one of a target of APPS_TARGETS, or should be. */
export function isTargetVariable(variable: string): boolean {
  return variable.startsWith(prefix) && variable !== `${prefix}BANDWIDTH`
}
