import { CopyButton } from './copy-button.js'
import type { BuiltRequest } from './build-request.js'
import { curlCommand } from './curl.js'
import type { Session } from './session.js'

/** The request as it will be sent, and the button that sends it. */
export function RequestLine(props: {
  request: BuiltRequest
  session: Session
  running: boolean
  complaint: string
  label: string
  onSend: () => void
}) {
  const { request, session, running, complaint, label, onSend } = props
  const curl = curlCommand(request, session)
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
        <details>
          <summary>curl</summary>
          <div class="curl">
            <pre tabIndex={0} aria-label="curl command">
              {curl}
            </pre>
            <CopyButton text={curl} label="Copy command" />
          </div>
        </details>
      </div>
    </section>
  )
}
