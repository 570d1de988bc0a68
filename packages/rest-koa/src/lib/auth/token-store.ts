/** Remembers revoked tokens until they end anyway. Share one between processes that share a secret. */
export interface TokenStore {
  /** @param expires absolute, in ms since the Unix epoch; after it the token need not be remembered. */
  revoke(tokenId: string, expires: number): Promise<void>
  isRevoked(tokenId: string): Promise<boolean>
}

/** Keeps revocations in memory: for one process, and only until it ends. */
export function createMemoryTokenStore(): TokenStore {
  const revoked = new Map<string, number>()
  return {
    async revoke(tokenId, expires) {
      const now = Date.now()
      for (const [id, end] of revoked) if (end <= now) revoked.delete(id)
      revoked.set(tokenId, expires)
    },
    async isRevoked(tokenId) {
      return revoked.has(tokenId)
    },
  }
}
