/** What waits, by user: users take turns, and what one of them waits for keeps its order. */
export class Turns<T> {
  /** In the order of their turns; only those who wait. */
  readonly #waiting = new Map<string, Set<T>>()

  /** How much of a user's waits. */
  countOf(user: string): number {
    return this.#waiting.get(user)?.size ?? 0
  }

  add(user: string, item: T): void {
    const items = this.#waiting.get(user)
    if (items) items.add(item)
    else this.#waiting.set(user, new Set([item]))
  }

  /** `false` when it does not wait. */
  delete(user: string, item: T): boolean {
    const items = this.#waiting.get(user)
    if (!items?.delete(item)) return false
    if (items.size === 0) this.#waiting.delete(user)
    return true
  }

  /** Takes the next one that may start; it is the turn of the other users then. */
  take(mayStart: (item: T, user: string) => boolean): T | undefined {
    for (const [user, items] of this.#waiting) {
      for (const item of items) {
        if (!mayStart(item, user)) continue
        items.delete(item)
        this.#waiting.delete(user)
        if (items.size > 0) this.#waiting.set(user, items)
        return item
      }
    }
    return undefined
  }

  /** Takes everything. */
  clear(): T[] {
    const all = [...this.#waiting.values()].flatMap((items) => [...items])
    this.#waiting.clear()
    return all
  }
}
