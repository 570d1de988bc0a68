import { Button, useStore, type PaletteItem } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useLayoutEffect } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { screen } from '../lib/screen.js'
import { signOut, useSession } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import '../styles/commands.css'
import { ApiCallDialog } from './api-call-dialog.js'
import { KeysDialog } from './keys-dialog.js'
import { RecordsPalette } from './records-palette.js'

export type OpenCommand = 'palette' | 'call' | 'keys' | undefined

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
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) setOpen('palette')
      else if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      else if (event.key === '?') setOpen('keys')
      else if (event.key === '/') {
        const search = document.querySelector<HTMLElement>('main input[type=search]')
        if (search) search.focus()
        else setOpen('palette')
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
    ...(session.kind === 'in' && session.byToken
      ? [{ id: 'signout', label: t('signout'), run: () => void signOut() }]
      : []),
  ]
  return (
    <>
      {open === 'palette' && <RecordsPalette general={general} onClose={close} />}
      {open === 'call' && call && <ApiCallDialog call={call} onClose={close} />}
      {open === 'keys' && <KeysDialog onClose={close} />}
    </>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select') !== null
}

/** `j` and `k` go to the next and the previous row of a list, `x` selects the row. @returns whether it was one of them */
function moveRow(key: string): boolean {
  const rows = [...document.querySelectorAll('main tbody tr')].filter((row) => row.querySelector('a'))
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  if (key === 'x' && at >= 0) rows[at]?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
  else if (key === 'j') rows[at + 1]?.querySelector('a')?.focus()
  else if (key === 'k') rows[Math.max(at - 1, 0)]?.querySelector('a')?.focus()
  else return false
  return rows.length > 0
}
