import { Button, focusSearch, isPaletteKey, isTyping, moveRow, useStore, type PaletteItem } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useLayoutEffect } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { screen } from '../lib/screen.js'
import { signOut, useSession } from '../lib/session.js'
import { pathTo, settings } from '../lib/settings.js'
import '../styles/commands.css'
import { ApiCallDialog } from './api-call-dialog.js'
import { KeysDialog } from './keys-dialog.js'
import { PasswordDialog } from './password-dialog.js'
import { RecordsPalette } from './records-palette.js'

export type OpenCommand = 'palette' | 'call' | 'keys' | 'password' | undefined

export interface CommandsProps {
  readonly open: OpenCommand
  readonly onOpen: (one: OpenCommand) => void
}

/** In the head. */
export function CommandButtons({ onOpen }: Pick<CommandsProps, 'onOpen'>) {
  const call = useStore(screen.call)
  return (
    <>
      <Button class="palette-button" icon="search" onClick={() => onOpen('palette')}>
        <span>{t('shell.palette')}</span>
        <kbd>Ctrl K</kbd>
      </Button>
      <Button kind="quiet" icon="code" label={t('api.title')} disabled={!call} onClick={() => onOpen('call')} />
    </>
  )
}

/** The palette, "Show as API call", and the keys of every screen. */
export function Commands({ open, onOpen: setOpen }: CommandsProps) {
  const { route } = useLocation()
  const session = useSession()
  const call = useStore(screen.call)
  const close = () => setOpen(undefined)

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]')) return
      if (isPaletteKey(event)) setOpen('palette')
      else if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      else if (event.key === '?') setOpen('keys')
      else if (event.key === '/') {
        if (!focusSearch()) setOpen('palette')
      } else {
        const command = screen.commands.get().find(({ keys }) => keys === event.key)
        if (command) command.run()
        else if (!moveRow(event.key)) return
      }
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  const general: readonly PaletteItem[] = [
    { id: 'home', label: t('home.title'), run: () => route(pathTo('')) },
    ...(call ? [{ id: 'call', label: t('api.title'), run: () => setOpen('call') }] : []),
    { id: 'keys', label: t('keys.title'), keys: '?', run: () => setOpen('keys') },
    ...(session.kind === 'in' && session.byToken && settings.changesPassword
      ? [{ id: 'password', label: t('password.title'), run: () => setOpen('password') }]
      : []),
    ...(session.kind === 'in' && session.byToken
      ? [{ id: 'signout', label: t('signout'), run: () => void signOut() }]
      : []),
  ]
  return (
    <>
      {open === 'palette' && <RecordsPalette general={general} onClose={close} />}
      {open === 'call' && call && <ApiCallDialog call={call} onClose={close} />}
      {open === 'password' && <PasswordDialog onClose={close} />}
      {open === 'keys' && <KeysDialog onClose={close} />}
    </>
  )
}
