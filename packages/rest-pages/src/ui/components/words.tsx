import { Search, type SearchProps } from '@steward/page-kit'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Searches after a pause in typing: each letter would be a step of the back button. */
export function Words({ value, label, onSearch }: SearchProps) {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // What is being typed is newer.
    if (timer.current === undefined) setTyped(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <Search
      label={label}
      value={typed}
      onSearch={(text) => {
        setTyped(text)
        clearTimeout(timer.current)
        const { pathname } = location
        timer.current = setTimeout(() => {
          timer.current = undefined
          // Another screen that was chosen meanwhile may still be loading: it is not left again.
          if (location.pathname === pathname) onSearch(text.trim())
        }, 300)
      }}
    />
  )
}
