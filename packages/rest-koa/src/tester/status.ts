/** How a status is coloured. */
export function statusClass(status: number): 'good' | 'bad' | 'other' {
  if (status >= 400) return 'bad'
  return status >= 200 && status < 300 ? 'good' : 'other'
}
