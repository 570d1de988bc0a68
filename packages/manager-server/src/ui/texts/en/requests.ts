import type { Texts } from '@steward/page-kit/text'

/** Requests for instances. */
export const requests = {
  'requests.open': { one: '{count} waits for a decision', other: '{count} wait for a decision' },
  'requests.none': 'Nobody has asked for an instance yet',
  'requests.noneText': 'People ask for one at the public form, and confirm by mail.',
  'requests.person': 'Who',
  'requests.created': 'Asked',
  'requests.decide': 'Decision',
  'requests.decidedBy': 'By {by}',
  'requests.tell': 'Send the mail',
  'requests.approveOf': 'Approve the request for {name}',
  'requests.rejectOf': 'Reject the request for {name}',
  'requests.unconfirmed': 'Not confirmed yet',
  'requests.confirmed': 'Waits for a decision',
  'requests.approved': 'Approved',
  'requests.rejected': 'Rejected',
  'requests.failed': 'Could not be made',
} as const satisfies Texts
