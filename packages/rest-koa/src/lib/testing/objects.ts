import { defineObject } from '@steward/rest-core'
import { IdempotencyKey } from '@steward/rest-core/system'
import { Asset } from './asset.js'
import { Book } from './book.js'

/** What the HTTP suite works on. */
export const Genre = defineObject({
  name: 'Genre',
  table: 'http_genre',
  fields: {
    gen_code: { type: 'string', length: 20, key: true },
    gen_name: { type: 'string', length: 100 },
  },
  order: ['gen_code'],
  display: 'public',
})

export const Movie = defineObject({
  name: 'Movie',
  table: 'http_movie',
  fields: {
    mov_title: { type: 'string', length: 200, key: true },
    mov_year: { type: 'integer', min: 1880, max: 2100 },
    mov_big: { type: 'integer', precision: 18 },
    mov_gross: { type: 'decimal', precision: 38, scale: 4 },
    mov_seen: { type: 'boolean' },
    mov_date: { type: 'date' },
    mov_kind: { type: 'enum', values: ['short', 'feature'] },
    mov_tags: { type: 'multi-enum', values: ['red', 'green', 'blue'] },
    mov_secret: { type: 'password' },
    mov_data: { type: 'object' },
    mov_genre_id: { type: 'reference', object: 'Genre', display: ['gen_code', 'gen_name'] },
  },
  order: ['mov_title'],
  pageSize: 5,
  crosstabs: {
    genres: { lines: ['mov_genre_id__gen_name'] },
    years: {
      label: 'Gross per year',
      lines: ['mov_kind', 'mov_seen'],
      columns: [{ field: 'mov_date', by: 'year' }],
      values: [{ function: 'sum', field: 'mov_gross' }, { function: 'count' }],
    },
    numbers: {
      lines: [{ field: 'mov_date', by: 'month', label: 'Month' }],
      values: [
        { function: 'sum', field: 'mov_big', name: 'sum' },
        { function: 'avg', field: 'mov_year', name: 'avg' },
        { function: 'min', field: 'mov_gross', name: 'min' },
        { function: 'max', field: 'mov_date', name: 'max' },
      ],
    },
  },
})

export const suiteObjects = [Genre, Movie, Book, Asset, IdempotencyKey] as const
