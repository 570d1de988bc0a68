import { readdirSync, readFileSync } from 'node:fs'

/** Kills all processes that this one has started, and those that they have. @returns how many; Linux only. */
export function killDescendants(pid: number): number {
  const found = descendants(pid)
  for (const each of found) {
    try {
      process.kill(each, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
  return found.length
}

function descendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name))
  const found = [pid]
  for (const each of found) for (const [child, parent] of parents) if (parent === each) found.push(child)
  return found.slice(1)
}

function parentOf(pid: string): number {
  try {
    // The name of the program, in parentheses, may have any characters.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(fields[1])
  } catch {
    return 0
  }
}
