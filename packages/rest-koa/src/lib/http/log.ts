/** Where failures are logged; a pino logger fits. */
export interface Log {
  error(details: object, message: string): void
  warn(details: object, message: string): void
}
