import { readFile } from 'node:fs/promises'
import type { SetupContext } from '@steward/app-server'
import sharp from 'sharp'

/** A row of `movies.json` of the package vega-datasets, as far as it is used here. */
interface MovieRow {
  readonly Title: string | number | null
  readonly 'Release Date': string | null
  readonly 'Running Time min': number | null
  readonly 'Production Budget': number | null
  readonly 'Worldwide Gross': number | null
  readonly 'IMDB Rating': number | null
  readonly 'MPAA Rating': string | null
  readonly 'Major Genre': string | null
  readonly Director: string | null
  readonly Distributor: string | null
}

/** Movies with a poster. */
const posters = 12

/** Fills the catalogue with the public movie data of vega-datasets. */
export default async function setup({ service, principal }: SetupContext): Promise<void> {
  const file = new URL('../data/movies.json', import.meta.resolve('vega-datasets'))
  const rows = JSON.parse(await readFile(file, 'utf8')) as MovieRow[]
  const named = rows.filter(({ Title: title }) => title !== null)
  const genres = await createNamed('Genre', 'gen_name', 'Major Genre')
  const directors = await createNamed('Director', 'dir_name', 'Director')
  const distributors = await createNamed('Distributor', 'dis_name', 'Distributor')

  for (const [at, row] of named.entries()) {
    await service.create(principal, 'Movie', {
      mov_code: `M${String(at + 1).padStart(5, '0')}`,
      mov_title: row.Title,
      mov_released: dateOf(row['Release Date']),
      mov_minutes: row['Running Time min'],
      mov_budget: row['Production Budget'],
      mov_gross: row['Worldwide Gross'],
      mov_rating: row['IMDB Rating'],
      mov_mpaa: row['MPAA Rating'],
      mov_genre_id: genres.get(row['Major Genre']),
      mov_director_id: directors.get(row.Director),
      mov_distributor_id: distributors.get(row.Distributor),
      ...(at < posters && {
        mov_poster: { name: `poster-${at + 1}.png`, content: await drawPoster(String(row.Title), at) },
      }),
    })
  }

  async function createNamed(object: string, field: string, column: 'Major Genre' | 'Director' | 'Distributor') {
    const ids = new Map<string | null, string>()
    for (const name of new Set(named.map((row) => row[column]))) {
      if (name !== null) ids.set(name, (await service.create(principal, object, { [field]: name })).row_id)
    }
    return ids
  }
}

/** `Jun 12 1998` → `1998-06-12`. */
function dateOf(text: string | null): string {
  const time = text === null ? Number.NaN : Date.parse(`${text} UTC`)
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10)
}

/** A picture with the title, as base64. */
async function drawPoster(title: string, at: number): Promise<string> {
  const text = title.replace(/[<&]/g, ' ')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="600">
    <rect width="400" height="600" fill="hsl(${at * 30}, 45%, 30%)"/>
    <text x="200" y="300" font-size="28" fill="white" text-anchor="middle" font-family="sans-serif">${text}</text>
  </svg>`
  return (await sharp(Buffer.from(svg)).png().toBuffer()).toString('base64')
}
