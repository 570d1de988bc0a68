import { expect, it } from 'vitest'
import { writeTypes } from './write-types.js'

it('writes an interface per object, and a map of them with what else is known', () => {
  const fields = [
    { input: 'row_id', type: 0 },
    { input: 'mov_title', label: 'Title', type: 3 },
    { input: 'mov_year', type: 1 },
    { input: 'mov_seen', type: 8 },
    { input: 'mov_secret', type: 9 },
    { input: 'mov_state', type: 7, listOfValues: [{ code: 'new' }, { code: "it's" }] },
    { input: 'mov_tags', type: 14, listOfValues: [{ code: 'a' }, { code: 'b' }] },
    { input: 'mov_genre_id__gen_code', label: 'Genre', type: 3 },
    { input: 'mov_data', type: 24 },
    { input: 'mov_poster', type: 20 },
  ]
  const given = fields
    .filter(({ input }) => !/^row_id|__/.test(input))
    .map((field) => ({ ...field, updatable: true, required: field.input === 'mov_title' }))
  const text = writeTypes([
    {
      object: {
        row_id: '',
        name: 'movie',
        label: 'Movie */ of all times',
        fields,
        actions: [
          { name: 'rate', parameters: [{ input: 'stars', type: 1, updatable: true, required: true }] },
          { name: 'take-down', parameters: [] },
        ],
        crosstabs: [{ name: 'years' }, { name: 'states' }],
        publications: [],
      },
      create: { row_id: '', fields: given },
      update: { row_id: '', fields: given.filter(({ input }) => input !== 'mov_secret') },
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
  mov_poster: string
}

export interface Records {
  movie: Movie & {
    readonly '~types'?: {
      readonly record: Movie
      readonly create: {
        mov_title: string | null
        mov_year?: number | string | null
        mov_seen?: boolean
        mov_secret?: string | null
        mov_state?: "new" | "it's" | '' | null
        mov_tags?: ("a" | "b")[] | null
        mov_data?: unknown
        mov_poster?: string | { readonly name: string; readonly mime?: string; readonly content: string } | null
      }
      readonly update: {
        mov_title?: string | null
        mov_year?: number | string | null
        mov_seen?: boolean
        mov_state?: "new" | "it's" | '' | null
        mov_tags?: ("a" | "b")[] | null
        mov_data?: unknown
        mov_poster?: string | { readonly name: string; readonly mime?: string; readonly content: string } | null
      }
      readonly actions: {
        rate: {
          stars: number | string | null
        }
        "take-down": {}
      }
      readonly crosstabs: "years" | "states"
      readonly publications: never
    }
  }
}
`)
})
