import { defineObject } from '@steward/rest-core'

export const Movie = defineObject({
  name: 'Movie',
  pluralLabel: 'Movies',
  fields: {
    mov_code: { type: 'string', length: 20, key: true, pattern: 'M\\d+', label: 'Code' },
    mov_title: { type: 'string', length: 100, required: true, index: true, label: 'Title' },
    mov_released: { type: 'date', index: true, label: 'Released' },
    mov_minutes: { type: 'integer', min: 1, max: 1000, label: 'Running time (minutes)' },
    mov_budget: { type: 'integer', min: 0, label: 'Production budget (USD)' },
    mov_gross: { type: 'integer', min: 0, label: 'Worldwide gross (USD)' },
    mov_rating: { type: 'decimal', precision: 3, scale: 1, min: 0, max: 10, label: 'IMDB rating' },
    mov_mpaa: { type: 'enum', values: ['G', 'PG', 'PG-13', 'R', 'NC-17', 'Not Rated', 'Open'], label: 'MPAA rating' },
    mov_state: {
      type: 'enum',
      values: [
        { code: 'listed', label: 'Listed' },
        { code: 'featured', label: 'On the front page' },
        { code: 'withdrawn', label: 'Withdrawn' },
      ],
      label: 'State',
    },
    mov_genre_id: { type: 'reference', object: 'Genre', display: ['gen_name'], label: 'Genre' },
    mov_director_id: {
      type: 'reference',
      object: 'Director',
      display: ['dir_name'],
      onDelete: 'setNull',
      label: 'Director',
    },
    mov_distributor_id: {
      type: 'reference',
      object: 'Distributor',
      display: ['dis_name'],
      onDelete: 'setNull',
      label: 'Distributor',
    },
    mov_poster: { type: 'image', label: 'Poster' },
  },
  order: ['mov_title'],
  states: {
    field: 'mov_state',
    initial: 'listed',
    transitions: [
      { from: 'listed', to: 'featured' },
      { from: 'featured', to: 'listed' },
      { from: ['listed', 'featured'], to: 'withdrawn' },
      { from: 'withdrawn', to: 'listed', groups: ['ADMIN'] },
    ],
  },
  indexable: ['mov_title', 'mov_mpaa'],
  actions: {
    review: {
      label: 'Add a review',
      parameters: {
        stars: { type: 'integer', min: 1, max: 5, required: true, label: 'Stars' },
        text: { type: 'text', label: 'Text' },
      },
      async run({ service, principal, record, parameters }) {
        const movie = record?.row_id
        const review = await service.create(principal, 'Review', {
          rev_movie_id: movie,
          rev_stars: parameters['stars'],
          rev_text: parameters['text'],
        })
        let [count, sum] = [0, 0]
        for await (const batch of await service.search(principal, 'Review', {
          filters: { rev_movie_id: movie ?? '' },
        })) {
          count += batch.length
          for (const { rev_stars: stars } of batch) sum += Number(stars)
        }
        return { review: review.row_id, average: sum / count }
      },
    },
    withdraw: {
      label: 'Withdraw',
      scope: 'global',
      background: true,
      confirm: 'Withdraw all movies that the search finds?',
      async run({ service, principal, records, progress }) {
        let done = 0
        for await (const batch of await records()) {
          for (const { row_id: id, mov_state: state } of batch) {
            if (state !== 'withdrawn') await service.update(principal, 'Movie', id, { mov_state: 'withdrawn' })
            progress(++done)
          }
        }
        return `${done} movies are withdrawn.`
      },
    },
  },
  publications: {
    sheet: {
      label: 'Sheet',
      format: 'html',
      file: new URL('../templates/sheet.html', import.meta.url),
      fileName: '{{mov_title}}',
    },
    letter: {
      label: 'Letter to the distributor',
      format: 'docx',
      file: new URL('../templates/letter.docx', import.meta.url),
      fileName: 'Letter {{mov_code}}',
    },
    list: {
      label: 'List',
      scope: 'global',
      format: 'xlsx',
      fields: ['mov_title', 'mov_released', 'mov_rating', 'mov_gross', 'mov_state', 'mov_genre_id__gen_name'],
    },
    brochure: {
      label: 'Brochure',
      scope: 'global',
      format: 'pdf',
      fields: ['mov_poster', 'mov_title', 'mov_released', 'mov_rating', 'mov_genre_id__gen_name'],
    },
  },
  crosstabs: {
    grosses: {
      label: 'Gross by genre and year',
      lines: [{ field: 'mov_genre_id__gen_name', label: 'Genre' }],
      columns: [{ field: 'mov_released', by: 'year' }],
      values: [
        { function: 'count' },
        { function: 'sum', field: 'mov_gross', name: 'gross', label: 'Gross (USD)' },
        { function: 'avg', field: 'mov_rating', name: 'rating', label: 'Rating' },
      ],
    },
  },
})
