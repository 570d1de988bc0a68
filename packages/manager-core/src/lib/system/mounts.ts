import { readFileSync } from 'node:fs'

/**
 * Folders at or below these where a disk or another folder is mounted; none where the system does not say so.
 *
 * @param folders absolute, without links
 */
export function mountsIn(folders: readonly string[]): readonly string[] {
  const isIn = (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
  return mountPoints().filter(isIn)
}

/** @see https://docs.kernel.org/filesystems/proc.html "/proc/<pid>/mountinfo" */
function mountPoints(): readonly string[] {
  let text: string
  try {
    text = readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return []
  }
  const unescape = (path: string) =>
    path.replaceAll(/\\(\d{3})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
  return text.split('\n').flatMap((line) => {
    const path = line.split(' ')[4]
    return path === undefined ? [] : [unescape(path)]
  })
}
