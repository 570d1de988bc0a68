import { Button, Dialog, Notice } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { signIn } from '../lib/session.js'
import { settings } from '../lib/settings.js'
import '../styles/sign-in.css'
import { messageOf } from './problem.js'

/** @param over over the page, of somebody whose session has ended */
export function SignIn({ over = false }: { readonly over?: boolean }) {
  if (!settings.hasSignIn)
    return (
      <main class="sign-in">
        <Notice tone="bad" title={t('signin.refused')} />
      </main>
    )
  if (over)
    return (
      <Dialog title={t('signin.title')} onClose={() => undefined} locked>
        <p>{t('signin.ended')}</p>
        <Form />
      </Dialog>
    )
  return (
    <main class="sign-in">
      <div class="panel">
        <h1>{settings.title}</h1>
        <Form />
      </div>
    </main>
  )
}

function Form() {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const values = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    try {
      await signIn(String(values.get('login')), String(values.get('password')), values.has('stay'))
    } catch (refused) {
      setFailure(refused)
      setBusy(false)
    }
  }

  const isWrong = RestClientError.is(failure) && failure.status === 401
  return (
    <form class="sign-in-form" onSubmit={(event) => void submit(event)}>
      <label class="field">
        <span>{t('signin.login')}</span>
        <input name="login" required autofocus autocomplete="username" autocapitalize="none" spellcheck={false} />
      </label>
      <label class="field">
        <span>{t('signin.password')}</span>
        <input name="password" type="password" autocomplete="current-password" />
      </label>
      <label class="field field-check">
        <input name="stay" type="checkbox" />
        <span>{t('signin.stay')}</span>
      </label>
      {failure !== undefined && <Notice tone="bad" title={isWrong ? t('signin.wrong') : messageOf(failure)} />}
      <Button kind="primary" type="submit" busy={busy}>
        {t('signin.title')}
      </Button>
    </form>
  )
}
