import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isWebapp } from '../files/webapp.js'
import type { DoctorCheck, Finding } from './check.js'

export const templateChecks: readonly DoctorCheck[] = [
  {
    id: 'templates',
    category: 'templates',
    title: 'Versions have been fetched',
    async run({ templates }) {
      const fix = async () => {
        const { versions } = await templates.refresh()
        const failed = versions.filter(({ result }) => result === 'failed')
        if (failed.length > 0) throw new Error(failed.map(({ version, error }) => `${version}: ${error}`).join('; '))
        return 'They were fetched.'
      }
      const versions = await templates.list()
      if (versions.length === 0)
        return [{ level: 'error', message: 'There are no versions, so no instances can be added.', fix }]
      const untaken = (await templates.failed()).map(({ version, at, problem, isFetched }): Finding => ({
        level: isFetched ? 'warning' : 'error',
        message: `The latest template of version ${version} was not accepted at ${at}: ${problem}`,
      }))
      const missing = versions.flatMap(({ version, folder }): Finding[] =>
        existsSync(join(folder, 'app.yaml')) || isWebapp(folder)
          ? []
          : [{ level: 'error', message: `Version ${version} is not where it should be: ${folder}.`, fix }],
      )
      return [...missing, ...untaken]
    },
  },
]
