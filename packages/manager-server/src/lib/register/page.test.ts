import { expect, it } from 'vitest'
import { requestLanguages } from '@steward/manager-core'
import { markup, page } from './page.js'

const options = { language: 'fr', title: 'Titre', base: '/base', content: markup`<p></p>` } as const

it('page() in a language offers all others', () => {
  const text = page({ ...options, addressIn: (language) => `/page?lang=${language}` })
  expect(text).toContain('<html lang="fr">')
  const others = requestLanguages.filter((language) => language !== 'fr')
  expect([...text.matchAll(/<a href="([^"]+)"/g)].map(([, address]) => address)).toEqual(
    others.map((language) => `/page?lang=${language}`),
  )
})

it('page() without addresses of other languages offers none', () => {
  expect(page(options)).not.toContain('<nav>')
})
