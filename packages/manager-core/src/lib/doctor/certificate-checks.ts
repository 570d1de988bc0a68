import { alarmOf } from '../certificates/alarms.js'
import { surveyCertificates } from '../certificates/survey.js'
import type { DoctorCheck, Finding } from './check.js'

export const certificateChecks: readonly DoctorCheck[] = [
  {
    id: 'certificates',
    category: 'certificates',
    title: 'Certificates can be used, and do not expire soon',
    async run(context) {
      return surveyCertificates(context).flatMap((one): readonly Finding[] => {
        const message = alarmOf(one)
        if (message === undefined) return []
        const level = one.state === 'expired' || one.state === 'unreadable' ? 'error' : 'warning'
        const help =
          one.origin === 'configured'
            ? 'Replace it: APPS_SERVER_CERT and APPS_SERVER_KEY.'
            : context.settings.global.acme
              ? `Fix the problem above, then run: manager certificates renew ${one.name} --force`
              : 'Set APPS_ACME=yes, or remove it: manager certificates remove'
        return [{ level, message, help }]
      })
    },
  },
]
