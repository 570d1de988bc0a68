import { defineObject } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'

export const Review = defineObject({
  name: 'Review',
  pluralLabel: 'Reviews',
  fields: {
    rev_movie_id: {
      type: 'reference',
      object: 'Movie',
      display: ['mov_title', 'mov_genre_id__gen_name'],
      onDelete: 'cascade',
      key: true,
      label: 'Movie',
    },
    rev_author: { type: 'string', length: 100, key: true, default: '[LOGIN]', label: 'Author' },
    rev_stars: { type: 'integer', min: 1, max: 5, required: true, label: 'Stars' },
    rev_text: { type: 'text', label: 'Text' },
  },
  hooks: {
    // Rules that need other records are hooks; this one keeps reviews away from what is no longer shown.
    async preCreate({ service, principal, values }) {
      const movie = await service.get(principal, 'Movie', String(values['rev_movie_id']))
      if (movie['mov_state'] === 'withdrawn') {
        throw new RestError('ERR_VALIDATION', `"${String(movie['mov_title'])}" is withdrawn; it takes no reviews.`)
      }
    },
  },
})
