import { CopyButton } from './copy-button.js'
import type { BuiltRequest } from './build-request.js'
import type { CopyAs } from './copy-as.js'

/** The request as it will be sent, and the button that sends it. */
export function RequestLine(props: {
  request: BuiltRequest
  copies: readonly CopyAs[]
  running: boolean
  complaint: string
  label: string
  onSend: () => void
}) {
  const { request, copies, running, complaint, label, onSend } = props
  return (
    <section class="card line" aria-label="Address">
      <div class="send">
        <p class="address-line">
          <span class="method">{request.method}</span> <code id="request-url">{request.url}</code>
        </p>
        <button
          type="button"
          class={running ? 'danger' : 'primary'}
          onClick={onSend}
          aria-keyshortcuts="Control+Enter"
          title={running ? 'Stop waiting' : `${label} (Ctrl+Enter)`}
        >
          {running ? 'Cancel' : 'Send'}
        </button>
      </div>
      <p role="alert" class="problem">
        {complaint}
      </p>
      <div class="line-tools">
        <CopyButton text={request.url} label="Copy address" />
        {copies.map(({ id, label: name, text }) => (
          <details key={id} name="copies">
            <summary>{name}</summary>
            <div class="curl">
              <pre tabIndex={0} aria-label={id === 'curl' ? 'curl command' : `${name} code`}>
                {text}
              </pre>
              <CopyButton text={text} label={id === 'curl' ? 'Copy command' : 'Copy code'} />
            </div>
          </details>
        ))}
      </div>
    </section>
  )
}
