import { useState } from 'preact/hooks'
import { keepHistory } from './kept-history.js'
import { restoreSession, signOut } from './session.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'
import { SignIn } from './sign-in.js'
import { Workbench } from './workbench.js'

/** The page: sign in, then build and send requests. */
export function App({ settings }: { settings: Settings }) {
  const [session, setSession] = useState<Session | undefined>(() => restoreSession())
  if (!session) return <SignIn settings={settings} onSignedIn={setSession} />

  function leave(): void {
    void signOut(settings, session as Session)
    keepHistory([])
    setSession(undefined)
  }

  return <Workbench settings={settings} session={session} onSignOut={leave} />
}
