/** What is measured, in the order in which it runs: reads first, so that they all meet untouched data. */
export const operations = {
  get: { title: 'get', writes: false },
  search20: { title: 'search 20 (=, LIKE)', writes: false },
  searchOr: { title: 'search 20 (or, two tables)', writes: false },
  search100: { title: 'search 100', writes: false },
  create: { title: 'create', writes: true },
  update: { title: 'update', writes: true },
} as const

export type OperationName = keyof typeof operations

export const operationNames = Object.keys(operations) as OperationName[]

/** Path of the object on every server. */
export const base = '/api/rest/Item/'
