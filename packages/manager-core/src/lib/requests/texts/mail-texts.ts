/** What is written to people; `{…}` are values. */
export interface MailTexts {
  readonly confirm: MailText
  /** With a link, by which the password is chosen. */
  readonly approved: MailText
  /** Another such link. */
  readonly password: MailText
  readonly rejected: MailText
}

interface MailText {
  readonly subject: string
  readonly text: string
}
