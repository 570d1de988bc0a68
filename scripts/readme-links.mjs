// Links of a package's README as its tarball needs them: a registry shows it on a page of its own, where relative links
// lead nowhere. npm runs `readme-links.mjs absolute` before it packs, in the package's folder, and `readme-links.mjs
// relative` afterwards, which restores it byte by byte.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository, root } from './packages.mjs'

/**
 * @param {string} text Markdown
 * @param {string} folder absolute, of the file
 */
export function absoluteLinks(text, folder) {
  return text.replaceAll(/\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (whole, link, heading = '') => {
    const target = path.join(folder, link)
    if (!fs.existsSync(target)) return whole
    const kind = fs.statSync(target).isDirectory() ? 'tree' : 'blob'
    const place = path.relative(root, target).replaceAll('\\', '/')
    return `](${repository}/${kind}/main/${place}${heading})`
  })
}

/**
 * @param {string} text Markdown
 * @param {string} folder absolute, of the file
 */
export function relativeLinks(text, folder) {
  return text.replaceAll(/\]\((\S+?)\/(?:blob|tree)\/main\/([^)\s#]+)/g, (whole, address, place) =>
    address === repository ? `](${path.relative(folder, path.join(root, place)).replaceAll('\\', '/')}` : whole,
  )
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const change = process.argv[2] === 'relative' ? relativeLinks : absoluteLinks
  // Written beside and renamed: a reader meanwhile never sees half of it.
  fs.writeFileSync('README.md.tmp', change(fs.readFileSync('README.md', 'utf8'), process.cwd()))
  fs.renameSync('README.md.tmp', 'README.md')
}
