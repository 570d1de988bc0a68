/**
 * Where a request is on its way: `unconfirmed` until the person has answered the mail, `confirmed` until the operator decides,
 * then `approved` (its instance was made), `rejected`, or `failed` (it could not be made; it may be approved once more).
 */
export const requestStatuses = ['unconfirmed', 'confirmed', 'approved', 'rejected', 'failed'] as const
export type RequestStatus = (typeof requestStatuses)[number]

/** Languages of the mails and pages for people who request an instance. */
export const requestLanguages = ['en', 'fr', 'de'] as const
export type RequestLanguage = (typeof requestLanguages)[number]

/** An instance that a person asked for. Dates are ISO 8601 in UTC; empty: not yet. */
export interface InstanceRequest {
  readonly id: number
  /** Name that the instance is to have. */
  readonly name: string
  readonly version: string
  readonly email: string
  readonly firstname: string
  readonly lastname: string
  readonly phone: string
  readonly company: string
  readonly status: RequestStatus
  /** Name of the instance that was made; empty: none. */
  readonly instance: string
  readonly created: string
  readonly confirmed: string
  readonly decided: string
  readonly decided_by: string
  /** Its message: why it was rejected or failed, or that the person could not be notified. */
  readonly note: string
  readonly language: RequestLanguage
  /** IP address that it came from. */
  readonly address: string
}

/** Who decided on a request, and when. */
export type Decision = {
  readonly request: number
  readonly by: string
  readonly at: string
}
