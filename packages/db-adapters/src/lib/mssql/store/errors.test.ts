import { expect, it } from 'vitest'
import { translateError } from './errors.js'

// Texts of the documentation; the servers that tests have refuse otherwise.
const cases: readonly (readonly [number: number, expected: string, message: string])[] = [
  [229, 'right', "The INSERT permission was denied on the object 'film', database 'app', schema 'dbo'."],
  [230, 'right', "The SELECT permission was denied on the column 'secret' of the object 'film'."],
  [4405, 'right', "View or function 'pair' is not updatable because the modification affects multiple base tables."],
  [33504, 'right', 'The attempted operation failed because the target object has a block predicate'],
  [4413, 'broken', "Could not use view or function 'old' because of binding errors."],
  [3906, 'readOnly', 'Failed to update database "app" because the database is read-only.'],
  [3609, 'value', 'The transaction ended in the trigger. The batch has been aborted.'],
  [50000, 'value', 'not on Sundays'],
  [50001, 'value', 'not on Sundays'],
  [102, 'internal', "Incorrect syntax near 'x'."],
]

for (const [number, expected, message] of cases) {
  it(`translateError() of ${number} ${message} is ${expected}`, () => {
    const cause = Object.assign(new Error(message), { number })
    expect(translateError(cause)).toMatchObject({ code: expected, cause, message: expect.stringContaining(message) })
  })
}
