const key = 'steward.recent'
const most = 8

/** Ids of what was chosen in the palette of this browser, the latest first. */
export function recentIds(): readonly string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function remember(id: string): void {
  try {
    localStorage.setItem(key, JSON.stringify([id, ...recentIds().filter((one) => one !== id)].slice(0, most)))
  } catch {
    // No storage: nothing is recent.
  }
}
