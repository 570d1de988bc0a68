import { Button } from '@steward/page-kit/button'
import { CopyButton } from './copy-button.js'
import { t } from './i18n.js'
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
    <section class="card line" aria-label={t('request.address')}>
      <div class="send">
        <p class="address-line">
          <span class="method">{request.method}</span> <code id="request-url">{request.url}</code>
        </p>
        <Button
          kind={running ? 'danger' : 'primary'}
          onClick={onSend}
          aria-keyshortcuts="Control+Enter"
          title={running ? t('request.stop') : `${label} (Ctrl+Enter)`}
        >
          {t(running ? 'request.cancel' : 'request.send')}
        </Button>
      </div>
      <p role="alert" class="problem">
        {complaint}
      </p>
      <div class="line-tools">
        <CopyButton text={request.url} label={t('request.copyAddress')} />
        {copies.map(({ id, label: name, text }) => (
          <details key={id} name="copies">
            <summary>{name}</summary>
            <div class="curl">
              <pre tabIndex={0} aria-label={t(id === 'curl' ? 'request.command' : 'request.code', { tool: name })}>
                {text}
              </pre>
              <CopyButton text={text} label={t(id === 'curl' ? 'request.copyCommand' : 'request.copyCode')} />
            </div>
          </details>
        ))}
      </div>
    </section>
  )
}
