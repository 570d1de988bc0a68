import { ManagerError } from '../../errors.js'
import { placeShellSettings, type PlacedAssignment } from './read-shell-settings.js'

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

/**
 * A settings file with other values: comments, order and all that does not change stay as they are. New variables come
 * last, in their order; of a line that held nothing but a removed variable only its comment stays. A value that expands
 * what is changed is written out.
 *
 * @param wanted all variables that it has then
 * @param file how errors call it
 * @throws ManagerError ERR_SETTINGS when it cannot be read, or cannot be changed without changing more than that
 */
export function rewriteShellSettings(text: string, wanted: Readonly<Record<string, string>>, file: string): string {
  const { text: before, assignments } = placeShellSettings(text, { file })
  const last = new Map(assignments.map((assignment) => [assignment.name, assignment]))
  const isKept = (name: string) => Object.hasOwn(wanted, name)
  const changed = [...last.values()].filter(({ name, value }) => wanted[name] !== value)
  const replacement = (assignment: PlacedAssignment): string | undefined => {
    const { name, value, from, to } = assignment
    // No text of a settings file has this character.
    if (!isKept(name)) return '\0'
    const isLast = last.get(name) === assignment
    const now = isLast ? (wanted[name] as string) : value
    const source = before.slice(from, to)
    const isExpanded = source.includes('$') && changed.some((one) => source.includes(one.name, name.length))
    return now !== value || isExpanded ? assignmentLine(name, now) : undefined
  }
  let after = before
  for (const assignment of assignments.toReversed()) {
    const by = replacement(assignment)
    if (by !== undefined) after = after.slice(0, assignment.from) + by + after.slice(assignment.to)
  }
  after = after
    .replaceAll(/^[ \t]*(?:export[ \t]+)?(?:\0[ \t]*;?[ \t]*)+(#[^\n]*)?(\n|$)/gm, (_, comment?: string, end = '') =>
      comment === undefined ? '' : comment + end,
    )
    .replaceAll(/\0[ \t]*;?[ \t]*/g, '')
  const added = Object.entries(wanted).filter(([name]) => !last.has(name))
  if (added.length > 0 && after !== '' && !after.endsWith('\n')) after += '\n'
  after += added.map(([name, value]) => `${assignmentLine(name, value)}\n`).join('')
  if (hasExactly(after, wanted, file)) return after
  throw new ManagerError('ERR_SETTINGS', `${file} cannot be changed without changing more of it.`, {
    help: 'Simplify the lines of the variable in the file, then try again.',
  })
}

function hasExactly(text: string, wanted: Readonly<Record<string, string>>, file: string): boolean {
  const found = new Map(placeShellSettings(text, { file }).assignments.map(({ name, value }) => [name, value]))
  const names = Object.keys(wanted)
  return found.size === names.length && names.every((name) => found.get(name) === wanted[name])
}
