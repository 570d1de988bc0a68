import { Button, Notice, Preferences, Toasts, ViewBoundary } from '@steward/page-kit'
import mark from '@steward/page-kit/mark.svg'
import '@steward/page-kit/shell.css'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { pathToSection, sectionsOf } from '../lib/sections.js'
import { listObjects } from '../lib/service.js'
import { signOut, useSession } from '../lib/session.js'
import { pathTo, settings, uiPath } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { CommandButtons, Commands, type OpenCommand } from './commands.js'
import { ViewBanner } from './view-banner.js'

/** Objects that stand in the head; a menu has all of them. */
const inHead = 5

/** What is around every view. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const session = useSession()
  const [open, setOpen] = useState<OpenCommand>()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    // As when a page is loaded: the next Tab goes to its start, and a screen reader is there.
    main.current?.focus({ preventScroll: true })
  }, [path])
  const login = session.kind === 'in' ? session.login : undefined
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
          <span>{settings.title}</span>
        </a>
        <Navigation path={path} login={login} />
        <CommandButtons onOpen={setOpen} />
        <Preferences actor={login}>
          {session.kind === 'in' && session.byToken && settings.changesPassword && (
            <Button onClick={() => setOpen('password')}>{t('password.title')}</Button>
          )}
          {session.kind === 'in' && session.byToken && <Button onClick={() => void signOut()}>{t('signout')}</Button>}
        </Preferences>
      </header>
      <ViewBanner />
      <main id="main" tabIndex={-1} ref={main}>
        <Offline />
        <ViewBoundary>{children}</ViewBoundary>
      </main>
      <Commands open={open} onOpen={setOpen} />
      <Toasts />
    </>
  )
}

/** Says that there is no connection, while there is none. */
function Offline() {
  const [isOnline, set] = useState(navigator.onLine)
  useEffect(() => {
    const look = () => set(navigator.onLine)
    for (const name of ['online', 'offline']) addEventListener(name, look)
    return () => {
      for (const name of ['online', 'offline']) removeEventListener(name, look)
    }
  }, [])
  return isOnline ? null : <Notice tone="warn" title={t('shell.offline')} />
}

function Navigation({ path, login }: { readonly path: string; readonly login: string | undefined }) {
  const menu = useRef<HTMLElement>(null)
  useEffect(() => menu.current?.hidePopover?.(), [path])
  const { data: objects = [] } = useAsked(`objects of ${login}`, listObjects)
  const own = objects.filter(({ isSystem }) => !isSystem)
  const here = decodeURIComponent(path.slice(uiPath.length + 1).split('/')[0] ?? '')
  const link = ({ name, plural }: (typeof objects)[number]) => (
    <a key={name} href={pathTo(name)} aria-current={name === here ? 'page' : undefined}>
      {plural}
    </a>
  )
  const [section] = sectionsOf(objects)
  const administration = section && (
    <a href={pathToSection(section)} aria-current={here === '_admin' ? 'page' : undefined}>
      {t('admin.title')}
    </a>
  )
  return (
    <>
      <nav class="links" aria-label={t('nav.main')}>
        {own.slice(0, inHead).map(link)}
        {administration}
      </nav>
      <Button class="menu-button" kind="quiet" icon="menu" label={t('nav.menu')} popovertarget="menu" />
      <nav class="menu panel" id="menu" popover="auto" aria-label={t('nav.menu')} ref={menu}>
        {own.map(link)}
        {administration}
      </nav>
    </>
  )
}
