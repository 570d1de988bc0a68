/** Placeholder until the client is there. */
export const version = '0.0.0'
