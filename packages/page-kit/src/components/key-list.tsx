import { Dialog } from './dialog.js'

export interface KeyListProps {
  readonly title: string
  /** Keys, and what they do. */
  readonly keys: readonly (readonly [keys: string, text: string])[]
  readonly onClose: () => void
}

/** The keys that work outside of fields. */
export function KeyList({ title, keys, onClose }: KeyListProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
