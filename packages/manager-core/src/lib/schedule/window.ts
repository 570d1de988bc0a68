/**
 * Whether work may start now. The time of day is local; a window over midnight ends on the next day; `from` is in it,
 * `to` is not.
 *
 * @param window undefined: always
 */
export function isInWindow(now: Date, window: { readonly from: string; readonly to: string } | undefined): boolean {
  if (!window) return true
  const [at, from, to] = [now.getHours() * 60 + now.getMinutes(), minutesOf(window.from), minutesOf(window.to)]
  return from < to ? at >= from && at < to : at >= from || at < to
}

/** From `HH:MM` to minutes since midnight. */
function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}
