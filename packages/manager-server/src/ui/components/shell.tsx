import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import {
  Button,
  Icon,
  Preferences,
  product,
  productName,
  toast,
  Toasts,
  useStore,
  ViewBoundary,
} from '@steward/page-kit'
import mark from '@steward/page-kit/mark.svg'
import '@steward/page-kit/shell.css'
import type { SignedInUser } from '../../lib/session/session-answer.js'
import { pathTo, uiPath } from '../lib/addresses.js'
import { isConnected } from '../lib/connection.js'
import { t } from '../lib/i18n.js'
import { hasTerminal, useActionTable, useSession, type ActionTable } from '../lib/session.js'
import { signInFailureText, signOut } from '../lib/sign-in.js'
import { Commands } from './commands.js'
import { ProblemsMark } from './problems.js'
import { SignInAgain } from './sign-in.js'

/** What is around every view. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const session = useSession()
  const place = session?.place ?? productName
  const { path } = useLocation()
  const main = useRef<HTMLElement>(null)
  const view = viewOf(path)
  const shown = useRef(view)
  useEffect(() => product.set(place === productName ? productName : `${place} · ${productName}`), [place])
  useEffect(() => {
    if (shown.current === view) return
    shown.current = view
    // As when a page is loaded: the next Tab goes to its start, and a screen reader is there.
    main.current?.focus({ preventScroll: true })
  }, [view])
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          event.stopPropagation()
          main.current?.focus()
        }}
      >
        {t('shell.skip')}
      </a>
      <header class="shell-head">
        <a class="brand" href={pathTo('')}>
          <img src={mark} alt="" width="28" height="28" />
          <span>{productName}</span>
          {place !== productName && <span class="brand-place">{place}</span>}
        </a>
        <Navigation session={session} path={path} />
        <ProblemsMark />
        <Commands />
        <Account session={session} />
      </header>
      <Offline />
      <main id="main" tabIndex={-1} ref={main}>
        <ViewBoundary>{children}</ViewBoundary>
      </main>
      <Toasts />
      <SignInAgain />
    </>
  )
}

/** Who is signed in, what they may do, and the way out; a client certificate has none. */
function Account({ session }: { readonly session: SignedInUser | undefined }) {
  const leave = () =>
    signOut().then(
      () => location.replace(pathTo('sign-in')),
      (failure: unknown) => toast(signInFailureText(failure), { tone: 'bad' }),
    )
  return (
    <Preferences
      actor={session?.actor}
      about={session && t('account.abilities', { abilities: session.abilities.join(', ') })}
    >
      {session?.session && <Button onClick={() => void leave()}>{t('signout')}</Button>}
    </Preferences>
  )
}

/** `/ui/instances/demo/backups` → `instances/demo`: what is another view, and no other part of the same one. */
function viewOf(path: string): string {
  return path
    .slice(uiPath.length + 1)
    .split('/')
    .slice(0, 2)
    .join('/')
}

/** Views by their address; of those that are not there for who looks, none is offered. */
function linksOf(session: SignedInUser | undefined, { isAllowed }: ActionTable) {
  const register = session?.features.register ?? false
  return [
    { to: '', text: t('nav.instances') },
    { to: 'monitor', text: t('nav.monitor') },
    { to: 'activity', text: t('nav.activity') },
    ...(register && isAllowed('requests-list') ? [{ to: 'requests', text: t('nav.requests') }] : []),
    ...(isAllowed('config') ? [{ to: 'manager', text: t('nav.manager') }] : []),
    ...(session && hasTerminal(session) ? [{ to: 'terminal', text: t('nav.terminal') }] : []),
  ]
}

function Navigation({ session, path }: { readonly session: SignedInUser | undefined; readonly path: string }) {
  const menu = useRef<HTMLElement>(null)
  const view = viewOf(path).split('/')[0]
  const isHere = (to: string) => to === view || (to === '' && view === 'instances')
  useEffect(() => menu.current?.hidePopover?.(), [path])
  const links = linksOf(session, useActionTable()).map(({ to, text }) => (
    <a key={to} href={pathTo(to)} aria-current={isHere(to) ? 'page' : undefined}>
      {text}
    </a>
  ))
  return (
    <>
      <nav class="links" aria-label={t('nav.main')}>
        {links}
      </nav>
      <Button class="menu-button" kind="quiet" icon="menu" label={t('nav.menu')} popovertarget="menu" />
      <nav class="menu panel" id="menu" popover="auto" aria-label={t('nav.menu')} ref={menu}>
        {links}
      </nav>
    </>
  )
}

function Offline() {
  const connected = useStore(isConnected)
  return (
    <div role="status">
      {!connected && (
        <p class="offline">
          <Icon name="alert" />
          {t('shell.offline')}
        </p>
      )}
    </div>
  )
}
