import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import '../styles/sign-in.css'
import { Button } from './button.js'
import { Dialog } from './dialog.js'
import { Notice } from './notice.js'

/** What the user typed. */
export interface SignInValues {
  readonly name: string
  readonly password: string
  /** Whether the session outlives the browser. */
  readonly stay: boolean
}

export interface SignInProps {
  /** The heading of the page: what the user signs in to. */
  readonly title: string
  /** Its mark. */
  readonly icon?: string
  /** Over a page whose session has ended, which keeps what was typed. */
  readonly over?: boolean
  /** Who was signed in before. */
  readonly name?: string | undefined
  readonly onSignIn: (values: SignInValues) => Promise<void>
  /** Says why that failed. */
  readonly messageOf: (failure: unknown) => string
}

/** Asks for name and password: as a page of its own, or over another one. */
export function SignIn({ title, icon, over = false, ...form }: SignInProps) {
  if (over)
    return (
      <Dialog title={t('signin.title')} onClose={() => undefined} locked>
        <p>{t('signin.ended')}</p>
        <Form {...form} />
      </Dialog>
    )
  return (
    <main class="sign-in">
      <div class="panel">
        <h1>
          {icon !== undefined && <img src={icon} alt="" width="28" height="28" />}
          {title}
        </h1>
        <Form {...form} />
      </div>
    </main>
  )
}

function Form({ name = '', onSignIn, messageOf }: Pick<SignInProps, 'name' | 'onSignIn' | 'messageOf'>) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const values = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    setFailure(undefined)
    try {
      await onSignIn({
        name: String(values.get('login')),
        password: String(values.get('password')),
        stay: values.has('stay'),
      })
    } catch (refused) {
      setFailure(messageOf(refused))
      setBusy(false)
    }
  }

  return (
    <form class="sign-in-form" onSubmit={(event) => void submit(event)}>
      <label class="field">
        <span>{t('signin.name')}</span>
        <input
          name="login"
          required
          autofocus={name === ''}
          defaultValue={name}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
        />
      </label>
      <label class="field">
        <span>{t('signin.password')}</span>
        <input name="password" type="password" autofocus={name !== ''} autocomplete="current-password" />
      </label>
      <label class="field field-check">
        <input name="stay" type="checkbox" />
        <span>{t('signin.stay')}</span>
      </label>
      {failure !== undefined && <Notice tone="bad" title={failure} />}
      <Button kind="primary" type="submit" busy={busy}>
        {t('signin.title')}
      </Button>
    </form>
  )
}
