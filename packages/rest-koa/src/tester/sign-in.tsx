import { Button } from '@steward/page-kit/button'
import { useRef, useState } from 'preact/hooks'
import { signIn } from './session.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'
import { Brand } from './brand.js'
import { TextField } from './controls.js'
import { t } from './i18n.js'

/** Asks who sends the requests. */
export function SignIn({ settings, onSignedIn }: { settings: Settings; onSignedIn: (session: Session) => void }) {
  const [kind, setKind] = useState<Session['kind']>(settings.login === undefined ? 'password' : 'token')
  const [login, setLogin] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const form = useRef<HTMLFormElement>(null)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setProblem('')
    try {
      onSignedIn(await signIn(settings, { kind, login, password }))
    } catch (error) {
      setProblem(error instanceof TypeError ? t('unreachable') : (error as Error).message)
      setBusy(false)
      form.current?.querySelector<HTMLElement>('input[type=text]')?.focus()
    }
  }

  const ways: readonly (readonly [Session['kind'], label: string, hint: string])[] = [
    ...(settings.login === undefined ? [] : [['token', t('signin.token'), t('signin.tokenAbout')] as const]),
    ['password', t('signin.each'), t('signin.eachAbout')],
    ['nobody', t('signin.nobody'), t('signin.nobodyAbout')],
  ]

  return (
    <main class="sign-in">
      <Brand title={settings.title} />
      <form ref={form} class="card" onSubmit={(event) => void submit(event)}>
        <h2>{t('signin.title')}</h2>
        <fieldset>
          <legend>{t('signin.kind')}</legend>
          {ways.map(([value, label, hint]) => (
            <label key={value} class="choice">
              <input type="radio" name="kind" checked={kind === value} onChange={() => setKind(value)} />
              <span>
                {label}
                <small>{hint}</small>
              </span>
            </label>
          ))}
        </fieldset>
        {kind !== 'nobody' && (
          <>
            <TextField label={t('signin.login')} value={login} onInput={setLogin} autocomplete="username" required />
            <TextField
              label={t('signin.password')}
              type="password"
              value={password}
              onInput={setPassword}
              autocomplete="current-password"
            />
          </>
        )}
        <p role="alert" class="problem">
          {problem}
        </p>
        <Button kind="primary" type="submit" busy={busy}>
          {t(busy ? 'signin.busy' : kind === 'nobody' ? 'signin.continue' : 'signin.title')}
        </Button>
      </form>
      <p class="quiet">
        {t('signin.target')} <code>{settings.rest}</code>
      </p>
    </main>
  )
}
