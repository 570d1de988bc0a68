import type { UnitTestContext } from '@steward/app-server'

/** Whatever these tests write is undone. */
export default {
  async 'a movie takes one review of an author'({ service, principal, assert }: UnitTestContext) {
    const { row_id: movie } = await createMovie({ service, principal })
    const review = { rev_movie_id: movie, rev_author: 'ann', rev_stars: 4 }
    await service.create(principal, 'Review', review)
    await assert.rejects(service.create(principal, 'Review', review), { code: 'ERR_CONFLICT' })
  },

  async 'a withdrawn movie takes no reviews'({ service, principal, assert }: UnitTestContext) {
    const { row_id: movie } = await createMovie({ service, principal })
    await service.update(principal, 'Movie', movie, { mov_state: 'withdrawn' })
    await assert.rejects(
      service.create(principal, 'Review', { rev_movie_id: movie, rev_author: 'ann', rev_stars: 4 }),
      /is withdrawn; it takes no reviews/,
    )
  },
}

function createMovie({ service, principal }: Pick<UnitTestContext, 'service' | 'principal'>) {
  return service.create(principal, 'Movie', { mov_code: 'M99999', mov_title: 'Tested' })
}
