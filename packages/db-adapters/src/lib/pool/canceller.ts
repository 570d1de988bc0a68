/** Asks the server to end the statement that runs on a connection; tries, and never rejects. */
export type Cancel<C> = (connection: C) => Promise<void>
