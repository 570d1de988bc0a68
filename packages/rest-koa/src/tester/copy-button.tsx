import { Button } from '@steward/page-kit/button'
import { useState } from 'preact/hooks'
import { t } from './i18n.js'

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState<{ text: string; note: string }>()

  async function copy(): Promise<void> {
    try {
      // Only there on https and on this machine.
      if (!navigator.clipboard) throw new Error('no clipboard')
      await navigator.clipboard.writeText(text)
      setDone({ text, note: t('copied') })
    } catch {
      setDone({ text, note: t('copied.refused') })
    }
  }

  // What was copied before the text changed is not what stands there now.
  const note = done?.text === text ? done.note : ''
  return (
    <span class="copy">
      <Button small onClick={() => void copy()}>
        {label}
      </Button>
      <span role="status" class="quiet">
        {note}
      </span>
    </span>
  )
}
