import { ManagerError } from '../../errors.js'

/**
 * One assignment as a line that a shell and `readShellSettings` read back as it was. Single quotes around all but plain
 * texts, so that nothing in it is expanded; carriage returns as `$'\r'`, because line ends are not kept as they are.
 *
 * @throws ManagerError ERR_SETTINGS for a value that no file of text can hold: NUL or half a surrogate pair.
 */
export function assignmentLine(name: string, value: string): string {
  if (value.includes('\0') || !value.isWellFormed())
    throw new ManagerError('ERR_SETTINGS', `The value of ${name} cannot be written to a settings file.`, {
      help: 'It contains a NUL character or an incomplete character.',
    })
  return `${name}=${quote(value)}`
}

function quote(value: string): string {
  if (/^[\w%+,./:@-]*$/.test(value)) return value
  const parts = value.split(/(['\r])/).map((part) => {
    if (part === "'") return String.raw`\'`
    return part === '\r' ? String.raw`$'\r'` : part && `'${part}'`
  })
  return parts.join('')
}
