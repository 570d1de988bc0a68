import type { Text } from '@steward/page-kit/text'
import type { requests as en } from '../en/requests.js'

export const requests: Readonly<Record<keyof typeof en, Text>> = {
  'requests.open': { one: '{count} attend une décision', other: '{count} attendent une décision' },
  'requests.none': 'Personne n’a encore demandé d’instance',
  'requests.noneText': 'Les demandes se font sur le formulaire public et sont confirmées par courriel.',
  'requests.person': 'Demandeur',
  'requests.created': 'Demandée',
  'requests.decide': 'Décision',
  'requests.decidedBy': 'Par {by}',
  'requests.tell': 'Envoyer le courriel',
  'requests.approveOf': 'Accepter la demande de {name}',
  'requests.rejectOf': 'Refuser la demande de {name}',
  'requests.unconfirmed': 'Pas encore confirmée',
  'requests.confirmed': 'Attend une décision',
  'requests.approved': 'Acceptée',
  'requests.rejected': 'Refusée',
  'requests.failed': 'N’a pas pu être créée',
}
