import { NotFound } from './not-found.js'

// Not there yet.
export const Monitor = NotFound
