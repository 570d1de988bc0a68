import { useRef, useState } from 'preact/hooks'
import { signIn } from './session.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'
import { TextField } from './controls.js'

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
      setProblem(error instanceof TypeError ? 'The service cannot be reached.' : (error as Error).message)
      setBusy(false)
      form.current?.querySelector<HTMLElement>('input[type=text]')?.focus()
    }
  }

  const ways: readonly (readonly [Session['kind'], label: string, hint: string])[] = [
    ...(settings.login === undefined
      ? []
      : [['token', 'Token', 'Signs in once; the token is kept until this tab is closed.'] as const]),
    ['password', 'Password with each request', 'Kept in memory: a reload asks again.'],
    ['nobody', 'Anonymous', 'As the public user, where the application has one.'],
  ]

  return (
    <main class="sign-in">
      <h1>{settings.title && <span>{settings.title}</span>} REST tester</h1>
      <form ref={form} class="card" onSubmit={(event) => void submit(event)}>
        <h2>Sign in</h2>
        <fieldset>
          <legend>Authentication</legend>
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
            <TextField label="Login" value={login} onInput={setLogin} autocomplete="username" required />
            <TextField
              label="Password"
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
        <button class="primary" type="submit" aria-disabled={busy}>
          {busy ? 'Signing in …' : kind === 'nobody' ? 'Continue' : 'Sign in'}
        </button>
      </form>
      <p class="muted">
        Requests go to <code>{settings.rest}</code>
      </p>
    </main>
  )
}
