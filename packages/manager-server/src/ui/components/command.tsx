import { CopyButton } from './copy-button.js'

/** A command to type on the server. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p>
      <code>{text}</code> <CopyButton value={text} of={text} text="icon" kind="quiet" />
    </p>
  )
}
