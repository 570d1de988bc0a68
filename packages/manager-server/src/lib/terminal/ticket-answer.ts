/** What `GET /term/ticket` answers. */
export interface TicketAnswer {
  /** Opens one terminal, within a short time. */
  readonly ticket: string
  /** Protocol of the socket. */
  readonly protocol: string
}
