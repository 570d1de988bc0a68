// @ts-check
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const marker = /\b(TODO|FIXME)\b:? *(.*)/

/**
 * `APPS_QUALITY_SERVER=@steward/example-quality-server-markers`: finds comments that mark unfinished work.
 *
 * @type {import('@steward/manager-core').QualityServerPlugin}
 */
export const qualityServer = {
  open: () => ({
    name: 'markers',
    async probe() {
      return { message: 'TODO and FIXME are searched on this machine.' }
    },
    async analyse({ folder }, modules, { signal, onProgress }) {
      const reports = []
      for (const module of modules) {
        onProgress?.(`Searching ${module.name}`)
        reports.push(await analyseModule(folder, module, signal))
      }
      return { reports, notes: [] }
    },
  }),
}

/**
 * @param {string} folder
 * @param {import('@steward/manager-core').QualityModule} module
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<import('@steward/manager-core').ModuleReport>}
 */
async function analyseModule(folder, { name: module, files }, signal) {
  /** @type {import('@steward/manager-core').QualityIssue[]} */
  const issues = []
  for (const file of files) {
    signal?.throwIfAborted()
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n')
    for (const [at, line] of lines.entries()) {
      const [, word, text] = marker.exec(line) ?? []
      if (word === undefined) continue
      const severity = word === 'FIXME' ? 'error' : 'warning'
      issues.push({
        rule: word.toLowerCase(),
        severity,
        message: text || `${word} without a text`,
        module,
        file,
        line: at + 1,
      })
    }
  }
  const fails = issues.some(({ severity }) => severity === 'error')
  return {
    module,
    gate: fails ? 'ERROR' : issues.length > 0 ? 'WARN' : 'OK',
    measures: { markers: issues.length },
    issues,
  }
}
