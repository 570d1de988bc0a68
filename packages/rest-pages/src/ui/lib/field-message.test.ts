import { expect, it } from 'vitest'
import { underLabel, withLabels } from './field-message.js'

it.each([
  ['Field "prd_stock" must be at most 10, not 12.', 'Must be at most 10, not 12.'],
  ['Field "prd_name" is required.', 'Is required.'],
  ['Another record has the same code.', 'Another record has the same code.'],
])('underLabel() of %j is %j', (text, short) => {
  expect(underLabel(text, text.includes('prd_name') ? 'prd_name' : 'prd_stock')).toBe(short)
})

it('withLabels() puts labels in place of names, and leaves values and fields without a label', () => {
  const fields = [
    { name: 'prd_stock', label: 'Stock' },
    { name: 'prd_note', label: '' },
  ]
  expect(withLabels('Field "prd_stock" must be a number, not "many"; see "prd_note".', fields)).toBe(
    'Field "Stock" must be a number, not "many"; see "prd_note".',
  )
})
