// Checks what npm does not: that `npm ci` will accept package-lock.json, and that no registry's address is in it.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * @param {{ packages: Record<string, any> }} lockfile
 * @returns {string[]} what is wrong, a line each
 */
export function problemsOf({ packages }) {
  const problems = []
  for (const [key, entry] of Object.entries(packages)) {
    // `npm install` leaves out an optional package that the registry did not have; `npm ci` then refuses the lockfile.
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!isLocked(packages, key, name))
        problems.push(`${key || 'the root'}: optional "${name}" is not in the lockfile`)
    }
    if (/^https?:/.test(entry.resolved ?? '')) problems.push(`${key}: "resolved" names a registry`)
    if (key.includes('node_modules/') && !entry.link && !entry.integrity && !entry.inBundle) {
      problems.push(`${key}: no "integrity"`)
    }
  }
  return problems
}

/**
 * Whether `name` resolves from the package at `key`, looking upwards as Node does.
 *
 * @param {Record<string, any>} packages
 * @param {string} key
 * @param {string} name
 */
function isLocked(packages, key, name) {
  for (let base = key; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (packages[`${base ? `${base}/` : ''}node_modules/${name}`]) return true
    if (!base) return false
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const file = path.join(path.dirname(path.dirname(fs.realpathSync(process.argv[1]))), 'package-lock.json')
  const problems = problemsOf(JSON.parse(fs.readFileSync(file, 'utf8')))
  for (const problem of problems) process.stderr.write(`package-lock.json: ${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}
