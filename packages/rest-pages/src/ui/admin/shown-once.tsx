import { Button, Dialog } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { t } from './i18n.js'

export interface ShownOnceProps {
  readonly title: string
  readonly text: string
  readonly secret: string
  readonly onClose: () => void
}

/** A password or secret that cannot be shown again. */
export function ShownOnce({ title, text, secret, onClose }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false)
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          {'clipboard' in navigator && (
            <Button
              icon={isCopied ? 'check' : 'copy'}
              onClick={() =>
                void navigator.clipboard.writeText(secret).then(
                  () => setCopied(true),
                  () => undefined,
                )
              }
            >
              {t(isCopied ? 'button.copied' : 'button.copy')}
            </Button>
          )}
          <Button kind="primary" onClick={onClose}>
            {t('button.done')}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      <code class="admin-secret">{secret}</code>
    </Dialog>
  )
}
