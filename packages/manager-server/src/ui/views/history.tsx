import { NotFound } from './not-found.js'

// Not there yet.
export const History = NotFound
