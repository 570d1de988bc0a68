import { useState } from 'preact/hooks'

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState<{ text: string; note: string }>()

  async function copy(): Promise<void> {
    try {
      // Only there on https and on this machine.
      if (!navigator.clipboard) throw new Error('no clipboard')
      await navigator.clipboard.writeText(text)
      setDone({ text, note: 'Copied' })
    } catch {
      setDone({ text, note: 'The browser does not allow it' })
    }
  }

  // What was copied before the text changed is not what stands there now.
  const note = done?.text === text ? done.note : ''
  return (
    <span class="copy">
      <button type="button" class="small" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" class="muted">
        {note}
      </span>
    </span>
  )
}
