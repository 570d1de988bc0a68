import { useEffect } from 'preact/hooks'

/** A date and time of the service, which is in UTC, as ISO 8601; empty: empty. */
export function utc(value: unknown): string {
  return value === undefined || value === null || value === '' ? '' : `${String(value).replace(' ', 'T')}Z`
}

/** Asks again every two seconds while something is under way. */
export function useReload(isUnderWay: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(reload, 2000)
    return () => clearInterval(timer)
  }, [isUnderWay, reload])
}
