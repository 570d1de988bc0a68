import { createSonarqubeQuality } from '../quality/sonarqube/sonarqube-quality.js'
import { pluginServer, sonarqubeOptions } from '../quality/quality-of.js'
import type { DoctorCheck } from './check.js'

export const qualityChecks: readonly DoctorCheck[] = [
  {
    id: 'quality-server',
    category: 'settings',
    title: 'The quality server answers and takes the credentials',
    network: true,
    async run(context) {
      const plugin = pluginServer(context, { name: 'any' })
      if (plugin) return [{ level: 'ok', message: (await plugin.probe()).message }]
      const options = sonarqubeOptions(context.settings.global, { name: 'any' })
      if (!options) return [{ level: 'ok', message: 'No quality server is set; analyses run on this machine.' }]
      const { message } = await createSonarqubeQuality(options).probe()
      return [{ level: 'ok', message }]
    },
  },
]
