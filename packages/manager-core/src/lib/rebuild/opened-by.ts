import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Other processes that have a file open, as far as the system shows them: `process 4711 (node)`. */
export function openedBy(file: string): readonly string[] {
  return namesIn('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
    const folder = join('/proc', pid, 'fd')
    const has = namesIn(folder).some((fd) => [file, `${file} (deleted)`].includes(targetOf(join(folder, fd))))
    return has ? [`process ${pid} (${programOf(pid)})`] : []
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

function programOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return 'ended'
  }
}
