import { testFieldType } from '@steward/rest-core/testing'
import { fieldType } from './src/index.js'

testFieldType(fieldType, {
  valid: [
    { given: 'de89 3704 0044 0532 0130 00', stored: 'DE89370400440532013000' },
    { given: 'FR14 2004 1010 0505 0001 3M02 606', stored: 'FR1420041010050500013M02606' },
    { given: 'DE89370400440532013000', stored: 'DE89370400440532013000' },
  ],
  invalid: ['DE89370400440532013001', 'GB82WEST12345698765432', 'DE89', 12, 'none'],
  options: { countries: ['DE', 'FR'] },
})
