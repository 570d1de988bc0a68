import { Button, Dialog, Tabs } from '@steward/page-kit'
import { clientModule, curlCommand, type SignedInBy } from '@steward/page-kit/call-code'
import { useEffect, useState } from 'preact/hooks'
import { codeOf, requestOf, type ApiCall } from '../lib/api-call.js'
import { t } from '../lib/i18n.js'
import { useSession } from '../lib/session.js'
import { settings } from '../lib/settings.js'
import { viewAs } from '../lib/view-as.js'

/** What the screen shows, or would send, as others can ask for it. No secret is in it. */
export function ApiCallDialog({ call, onClose }: { readonly call: ApiCall; readonly onClose: () => void }) {
  const session = useSession()
  const by: SignedInBy =
    session.kind === 'in' && session.byToken ? { kind: 'password', login: session.login } : { kind: 'nobody' }
  const [curl, setCurl] = useState('')
  const [form, setForm] = useState('curl')
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    void requestOf(call).then((request) => setCurl(curlCommand(request, by)))
  }, [call])
  const text = form === 'curl' ? curl : clientModule(settings.rest, by, codeOf(call), viewAs.get()?.login)

  async function copy(): Promise<void> {
    // Only there on https and on the machine itself; the text can be marked everywhere.
    await navigator.clipboard?.writeText(text)
    setCopied(true)
  }

  return (
    <Dialog
      title={t('api.title')}
      size="wide"
      onClose={onClose}
      footer={
        'clipboard' in navigator && (
          <Button icon={isCopied ? 'check' : 'copy'} onClick={() => void copy().catch(() => undefined)}>
            {t(isCopied ? 'api.copied' : 'api.copy')}
          </Button>
        )
      }
    >
      <div class="api-call">
        <p class="quiet">{t('api.text')}</p>
        <Tabs
          label={t('api.title')}
          tabs={[
            { id: 'curl', label: 'curl' },
            { id: 'client', label: 'rest-client' },
          ]}
          selected={form}
          onSelect={(id) => {
            setForm(id)
            setCopied(false)
          }}
        >
          <pre>{text}</pre>
        </Tabs>
      </div>
    </Dialog>
  )
}
