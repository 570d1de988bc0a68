import type { DoctorCheck, Finding } from './check.js'

const caller = { actor: 'doctor', surface: 'cli' } as const

export const proxyChecks: readonly DoctorCheck[] = [
  {
    id: 'reverse-proxy',
    category: 'system',
    title: 'The reverse proxy publishes what it should',
    async run({ proxies }) {
      if (!proxies.status().enabled) return []
      const { refusal, problems, isDue } = await proxies.check(caller)
      if (refusal !== undefined)
        return [{ level: 'error', message: `Nothing new can be published: ${refusal}.`, help: 'See proxy check.' }]
      const due: Finding = {
        level: 'error',
        message: 'What is published is not what should be.',
        help: 'manager proxy publish puts it right.',
        async fix() {
          await proxies.publish(caller, { repair: true })
          return 'It is published.'
        },
      }
      return [...problems.map(({ message }): Finding => ({ level: 'warning', message })), ...(isDue ? [due] : [])]
    },
  },
]
