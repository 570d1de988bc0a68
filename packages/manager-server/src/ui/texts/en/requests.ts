import type { Texts } from '@steward/page-kit/text'

/** Requests for instances. */
export const requests = {
  'requests.open': { one: '{count} pending', other: '{count} pending' },
  'requests.none': 'No requests yet',
  'requests.noneText': 'People request an instance in the public form and confirm by email.',
  'requests.person': 'Requested by',
  'requests.created': 'Requested',
  'requests.decide': 'Decision',
  'requests.decidedBy': 'By {by}',
  'requests.tell': 'Send an email',
  'requests.approveOf': 'Approve the request for {name}',
  'requests.rejectOf': 'Reject the request for {name}',
  'requests.unconfirmed': 'Not confirmed',
  'requests.confirmed': 'Pending',
  'requests.approved': 'Approved',
  'requests.rejected': 'Rejected',
  'requests.failed': 'Creation failed',
} as const satisfies Texts
