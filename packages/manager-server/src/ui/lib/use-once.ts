import { useEffect, useRef } from 'preact/hooks'

/** Does something when it becomes so, once each time. */
export function useOnce(isSo: boolean, act: () => void): void {
  const done = useRef(false)
  useEffect(() => {
    if (isSo && !done.current) act()
    done.current = isSo
  }, [isSo])
}
