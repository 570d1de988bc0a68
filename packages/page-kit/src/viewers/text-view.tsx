import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../components/button.js'

/** Characters that are shown at first; each "show more" doubles them. */
const first = 50_000

export interface TextViewProps {
  readonly text: string
  /** What it is called, for a screen reader. */
  readonly label: string
  /** Text of the button that shows more, by the number of characters that are left. */
  readonly more: (left: number) => string
  /** More buttons. */
  readonly children?: ComponentChildren
}

/** A text as it came. */
export function TextView({ text, label, more, children }: TextViewProps) {
  const [shown, setShown] = useState(first)
  const rest = text.length - shown
  return (
    <>
      <pre class="text" tabIndex={0} aria-label={label}>
        {text.slice(0, shown)}
      </pre>
      <div class="tools">
        {rest > 0 && (
          <Button small onClick={() => setShown(shown * 2)}>
            {more(rest)}
          </Button>
        )}
        {children}
      </div>
    </>
  )
}
