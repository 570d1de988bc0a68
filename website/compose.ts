import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { repository, root } from '../scripts/packages.mjs'
import { files, pathOf } from './pages.ts'

/** A link or picture of Markdown, with its address. */
const links = /(\]\()([^)\s#]*)(#[^)\s]*)?(\))/g

/**
 * Copies all pages into a folder as the site has them: links between them lead to pages, links to other files to the
 * repository.
 *
 * @throws Error naming links that lead nowhere
 */
export function compose(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  const broken: string[] = []
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    const target = join(folder, `${pathOf(file)}.md`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, `---\neditLink: ${file}\n---\n\n${pageOf(file, text, broken)}`)
  }
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join('\n')}`)
}

function pageOf(file: string, text: string, broken: string[]): string {
  // Code is as it is written.
  const parts = text.split(/(^[ \t]*```[^]*?^[ \t]*```[ \t]*$|`(?:[^`\n]|\n(?!\s*\n))*`)/m)
  return parts.map((part, at) => (at % 2 === 1 ? codeOf(part) : proseOf(file, part, broken))).join('')
}

/** Inside a line, double braces would be an expression of the site. */
function codeOf(code: string): string {
  if (code.trimStart().startsWith('```') || !code.includes('{{')) return code
  const text = code.slice(1, -1).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('|', '&#124;')
  return `<code v-pre>${text}</code>`
}

function proseOf(file: string, text: string, broken: string[]): string {
  return text.replace(links, (whole, begin: string, address: string, heading = '', end: string) => {
    if (address === '' || /^[a-z]+:/.test(address)) return whole
    const place = posix.normalize(posix.join(posix.dirname(file), address))
    const readme = posix.join(place, 'README.md')
    const page = [place, readme].find((each) => files.has(each))
    if (page !== undefined) return `${begin}/${pathOf(page)}${heading}${end}`
    const path = join(root, place)
    if (!existsSync(path)) {
      broken.push(`${file}: ${address}`)
      return whole
    }
    return `${begin}${repository}/${statSync(path).isDirectory() ? 'tree' : 'blob'}/main/${place}${heading}${end}`
  })
}
