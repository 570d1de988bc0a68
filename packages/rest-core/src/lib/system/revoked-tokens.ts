import { StoreError } from '../../errors.js'
import type { Model } from '../model/model.js'
import type { ObjectStore } from '../store.js'
import { clockToleranceMs } from '../events/purge.js'
import { isShared, raiseVersion } from './shared-version.js'

export interface RevokedTokensOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
}

/** Remembers revoked tokens in the database, for all processes of an application and across restarts. */
export function createRevokedTokens({ model, store }: RevokedTokensOptions) {
  const object = model.object('RevokedToken')
  return {
    /** @param expires absolute, in ms since the Unix epoch; after it the token need not be remembered. */
    async revoke(tokenId: string, expires: number): Promise<void> {
      await removeEnded()
      try {
        await store.transaction(async (session) => {
          await session.insert(object, { rvk_token_id: tokenId, rvk_expires: expires }, object.selection)
          if (isShared(model, object)) await raiseVersion(model, session)
        })
      } catch (error) {
        if (!(StoreError.is(error) && error.code === 'unique')) throw error
      }
    },
    async isRevoked(tokenId: string): Promise<boolean> {
      return (await store.count(object, { op: '=', field: 'rvk_token_id', value: tokenId })) > 0
    },
  }

  async function removeEnded(): Promise<void> {
    const where = { op: '<', field: 'rvk_expires', value: Date.now() - clockToleranceMs } as const
    for await (const batch of store.search(object, {
      select: object.selection,
      where,
      order: object.order,
      limit: 1000,
    })) {
      for (const { row_id: id } of batch) await store.delete(object, id)
    }
  }
}
