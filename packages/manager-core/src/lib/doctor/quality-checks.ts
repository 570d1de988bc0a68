import { createSonarqubeQuality } from '../quality/sonarqube/sonarqube-quality.js'
import { sonarqubeOptions } from '../quality/quality-of.js'
import type { DoctorCheck } from './check.js'

export const qualityChecks: readonly DoctorCheck[] = [
  {
    id: 'quality-server',
    category: 'settings',
    title: 'The quality server answers and takes the credentials',
    network: true,
    async run({ settings }) {
      const options = sonarqubeOptions(settings.global, { name: 'any' })
      if (!options) return [{ level: 'ok', message: 'No quality server is set; analyses run on this machine.' }]
      const { message } = await createSonarqubeQuality(options).probe()
      return [{ level: 'ok', message }]
    },
  },
]
