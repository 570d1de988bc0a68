import { useState } from 'preact/hooks'
import { CopyButton } from './copy-button.js'

/** Characters that are shown at first; each "show more" doubles them. */
const first = 50_000

/** A text as it came. */
export function TextView({ text }: { text: string }) {
  const [shown, setShown] = useState(first)
  const rest = text.length - shown
  return (
    <>
      <pre class="text" tabIndex={0} aria-label="The answer as text">
        {text.slice(0, shown)}
      </pre>
      <div class="tools">
        {rest > 0 && (
          <button type="button" class="small" onClick={() => setShown(shown * 2)}>
            Show more; {rest.toLocaleString('en')} characters are left
          </button>
        )}
        <CopyButton text={text} label="Copy text" />
      </div>
    </>
  )
}
