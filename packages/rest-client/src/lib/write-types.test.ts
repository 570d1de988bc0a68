import { expect, it } from 'vitest'
import { writeTypes } from './write-types.js'

it('writes an interface per object, and a map of them', () => {
  const text = writeTypes([
    {
      row_id: '',
      name: 'movie',
      label: 'Movie */ of all times',
      fields: [
        { input: 'row_id', type: 0 },
        { input: 'mov_title', label: 'Title', type: 3 },
        { input: 'mov_year', type: 1 },
        { input: 'mov_seen', type: 8 },
        { input: 'mov_secret', type: 9 },
        { input: 'mov_state', type: 7, listOfValues: [{ code: 'new' }, { code: "it's" }] },
        { input: 'mov_tags', type: 14, listOfValues: [{ code: 'a' }, { code: 'b' }] },
        { input: 'mov_genre_id__gen_code', label: 'Genre', type: 3 },
        { input: 'mov_data', type: 24 },
      ],
    },
  ])
  expect(text).toBe(`// Written by "rest-client types" from the metadata of the service.

/** Movie *\\/ of all times */
export interface Movie {
  row_id: string
  /** Title */
  mov_title: string
  mov_year: number | string | null
  mov_seen: boolean
  mov_state: "new" | "it's" | ''
  mov_tags: ("a" | "b")[]
  /** Genre */
  mov_genre_id__gen_code: string
  mov_data: unknown
}

export interface Records {
  movie: Movie
}
`)
})
