import { alarmOf } from '../certificates/alarms.js'
import { surveyCertificates } from '../certificates/survey.js'
import type { DoctorCheck, Finding } from './check.js'

export const certificateChecks: readonly DoctorCheck[] = [
  {
    id: 'certificates',
    category: 'certificates',
    title: 'Certificates are valid for a while',
    async run(context) {
      return surveyCertificates(context).flatMap((one): readonly Finding[] => {
        const message = alarmOf(one)
        if (message === undefined) return []
        const level = one.state === 'expired' || one.state === 'unreadable' ? 'error' : 'warning'
        const help =
          one.origin === 'configured'
            ? 'Put a new one in its place: APPS_SERVER_CERT and APPS_SERVER_KEY.'
            : context.settings.global.acme
              ? `Put right what the message says; then: certificates renew ${one.name} --force`
              : 'Set APPS_ACME=yes again, or remove it: certificates remove'
        return [{ level, message, help }]
      })
    },
  },
]
