import { productName, SignIn, useStore } from '@steward/page-kit'
import mark from '@steward/page-kit/mark.svg'
import { useEffect, useState } from 'preact/hooks'
import { uiPath } from '../lib/addresses.js'
import { hasSessionEnded } from '../lib/ask.js'
import { t } from '../lib/i18n.js'
import { nextAddress } from '../lib/next-address.js'
import { userIsThere, useSession } from '../lib/session.js'
import { signIn, signInFailureText, whoIsSignedIn } from '../lib/sign-in.js'

/** The page that asks for the password, and leads to the one that was wanted. */
export function SignInPage() {
  const [isAsked, setAsked] = useState(false)
  useEffect(() => {
    document.title = `${t('signin.title')} · ${productName}`
    // A link of another site leads here although the user is signed in: the browser sends no cookie with it.
    whoIsSignedIn().then(
      (user) => (user ? leave() : setAsked(true)),
      () => setAsked(true),
    )
  }, [])
  if (!isAsked) return null
  return (
    <SignIn
      title={productName}
      icon={mark}
      onSignIn={async (values) => {
        await signIn(values)
        leave()
      }}
      messageOf={signInFailureText}
    />
  )
}

function leave(): void {
  const wanted = new URLSearchParams(location.search).get('next')
  location.replace(nextAddress(wanted, `${location.origin}${uiPath}/`))
}

/** Asks for the password over the page, when the session has ended. */
export function SignInAgain() {
  const hasEnded = useStore(hasSessionEnded)
  const user = useSession()
  if (!hasEnded) return null
  const isToken = user?.actor.startsWith('token ')
  return (
    <SignIn
      over
      title={productName}
      name={isToken ? undefined : user?.actor}
      onSignIn={async (values) => userIsThere(await signIn(values))}
      messageOf={signInFailureText}
    />
  )
}
