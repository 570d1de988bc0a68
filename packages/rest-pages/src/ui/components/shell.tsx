import { Button, Menu, Notice, Preferences, Toasts, ViewBoundary } from '@steward/page-kit'
import mark from '@steward/page-kit/mark.svg'
import '@steward/page-kit/shell.css'
import '../styles/shell.css'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { fitting } from '../lib/fitting.js'
import { t } from '../lib/i18n.js'
import { pathToSection, sectionsOf } from '../lib/sections.js'
import { listObjects, type ObjectInfo } from '../lib/service.js'
import { signOut, useSession } from '../lib/session.js'
import { pathTo, settings, uiPath } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { CommandButtons, Commands, type OpenCommand } from './commands.js'
import { ViewBanner } from './view-banner.js'

/** In pixels: between two links of the head, and of the button that leads to those without a place there. */
const gap = 4
const moreWidth = 120
const none: readonly ObjectInfo[] = []

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
  const { data: objects = none } = useAsked(`objects of ${login}`, listObjects)
  const own = useMemo(() => objects.filter(({ isSystem }) => !isSystem), [objects])
  const here = decodeURIComponent(path.slice(uiPath.length + 1).split('/')[0] ?? '')
  const { row, inRow } = useFitting(own, here)
  const link = ({ name, plural }: ObjectInfo, isCut = false) => (
    <a
      key={name}
      href={pathTo(name)}
      aria-current={name === here ? 'page' : undefined}
      class={isCut ? 'cut' : undefined}
      aria-hidden={isCut || undefined}
    >
      {plural}
    </a>
  )
  const [section] = sectionsOf(objects)
  const administration = section && (
    <a href={pathToSection(section)} aria-current={here === '_admin' ? 'page' : undefined}>
      {t('admin.title')}
    </a>
  )
  const others = own.filter(({ name }) => !inRow.has(name))
  return (
    <>
      <nav class="links fits" aria-label={t('nav.main')} ref={row}>
        {own.map((object) => link(object, !inRow.has(object.name)))}
        <Menu
          label={t('nav.others')}
          icon="down"
          groups={[others.map(({ name, plural }) => ({ id: name, label: plural, href: pathTo(name) }))]}
        >
          {t('nav.more')}
        </Menu>
        {administration}
      </nav>
      <Button class="menu-button" kind="quiet" icon="menu" label={t('nav.menu')} popovertarget="menu" />
      <nav class="menu panel" id="menu" popover="auto" aria-label={t('nav.menu')} ref={menu}>
        {own.map((object) => link(object))}
        {administration}
      </nav>
    </>
  )
}

/** Names of the objects whose links have a place in the head; a menu has the others. */
function useFitting(own: readonly ObjectInfo[], here: string) {
  const row = useRef<HTMLElement>(null)
  const [inRow, setInRow] = useState<ReadonlySet<string>>(new Set())
  useLayoutEffect(() => {
    const nav = row.current
    if (!nav) return
    const look = () => {
      const links = [...nav.querySelectorAll<HTMLElement>(':scope > a')]
      const widths = links.map(({ offsetWidth }) => offsetWidth + gap)
      const always = widths.slice(own.length).reduce((sum, width) => sum + width, 0)
      const current = own.findIndex(({ name }) => name === here)
      const row = { room: nav.clientWidth - always, more: moreWidth }
      const places = fitting(widths.slice(0, own.length), row, current < 0 ? undefined : current)
      setInRow(new Set([...places].flatMap((at) => own[at]?.name ?? [])))
    }
    look()
    const watch = new ResizeObserver(look)
    watch.observe(nav)
    // With the font of the pages, texts have another width.
    void document.fonts.ready.then(look)
    return () => watch.disconnect()
  }, [own, here])
  return { row, inRow }
}
