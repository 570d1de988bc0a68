import { expect, it } from 'vitest'
import { typeset } from './typeset.js'

it('typeset() ends no French line before a sign that has a space, and leaves other languages alone', () => {
  const text = 'Supprimer « a b » ? 95 % : oui ; fini !'
  expect(typeset(text, 'fr')).toBe('Supprimer «\u00A0a b\u00A0»\u00A0? 95\u00A0%\u00A0: oui\u00A0; fini\u00A0!')
  expect(typeset(text, 'de')).toBe(text)
})
