import { NotFound } from './not-found.js'

// Not there yet.
export const Operation = NotFound
