import type { ManagerContext } from '../context.js'
import { isOpen, type Incident } from '../domain/incident.js'
import { mailFailure } from '../mail/mail-failure.js'
import { linesOf } from './describe-incident.js'
import type { Channel } from './outbox.js'
import { postWebhook } from './post-webhook.js'

/** By mail to APPS_EMAIL, and to APPS_ALERTWEBHOOK, when they are set. */
export function incidentChannels(context: Pick<ManagerContext, 'mailer' | 'settings'>): readonly Channel<Incident>[] {
  return [
    {
      async send(incident) {
        const subject = `${isOpen(incident) ? 'Alert' : 'Over'}: ${incident.message}`
        const problem = await mailFailure(context, { subject, text: `${incident.message}.\n\n${linesOf(incident)}` })
        return problem && `The alert could not be mailed: ${problem}`
      },
    },
    {
      async send(incident, signal) {
        const { baseUrl, monitoring } = context.settings.global
        if (!monitoring.webhook) return undefined
        return postWebhook(monitoring.webhook, webhookBody(incident, baseUrl), signal)
      },
    },
  ]
}

/** `text` is what chat programs show. */
function webhookBody(incident: Incident, manager: string) {
  const { id, opened, closed, message, instances } = incident
  const event = isOpen(incident) ? 'opened' : 'closed'
  return {
    text: `${event === 'opened' ? 'Alert' : 'Over'}: ${message}`,
    event,
    manager,
    incident: {
      id,
      opened,
      closed,
      message,
      instances: instances.map(({ name, reason, opened: from, closed: to }) => ({
        name,
        reason,
        opened: from,
        closed: to,
      })),
    },
  }
}
