import { Notice, SignIn as SignInPage } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import { t } from '../lib/i18n.js'
import { signIn } from '../lib/session.js'
import { settings } from '../lib/settings.js'
import { messageOf } from './problem.js'

/** @param over over the page, for a user whose session has ended */
export function SignIn({ over = false }: { readonly over?: boolean }) {
  if (!settings.hasSignIn)
    return (
      <main class="sign-in">
        <Notice tone="bad" title={t('signin.refused')} />
      </main>
    )
  return (
    <SignInPage
      over={over}
      title={settings.title}
      onSignIn={({ name, password, stay }) => signIn(name, password, stay)}
      messageOf={(failure) =>
        RestClientError.is(failure) && failure.status === 401 ? t('signin.wrong') : messageOf(failure)
      }
    />
  )
}
