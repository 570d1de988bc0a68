import { Button, focusSearch, isPaletteKey, isTyping, KeyList, moveRow, preloadWhenIdle } from '@steward/page-kit'
import type { ComponentType } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { pathTo } from '../lib/addresses.js'
import { creating } from '../lib/creating.js'
import { t } from '../lib/i18n.js'
import { useActionTable } from '../lib/session.js'
import { ActionDialog, type ActionDialogProps } from './action-dialog.js'
import type { ManagerPaletteProps } from './manager-palette.js'

/** Views that `g` and a letter lead to. */
const views: Readonly<Record<string, string>> = { i: '', m: 'monitor', a: 'activity' }

/** After `g`, the letter may come that late. */
const secondKeyMs = 1500

/** The palette, its button in the head, and the keys of every view. */
export function Commands() {
  const { route } = useLocation()
  const { isAllowed } = useActionTable()
  const [open, setOpen] = useState<'palette' | 'keys'>()
  const [Palette, setPalette] = useState<ComponentType<ManagerPaletteProps>>()
  const [doing, setDoing] = useState<Omit<ActionDialogProps, 'onClose'>>()
  const leading = useRef(0)
  const mayCreate = isAllowed('add') || isAllowed('clone')
  const close = () => setOpen(undefined)
  const isWanted = open === 'palette'
  const loadPalette = () =>
    import('./manager-palette.js').then(
      ({ ManagerPalette }) => setPalette(() => ManagerPalette),
      // The next time there may be a connection.
      close,
    )
  useEffect(() => void preloadWhenIdle([{ preload: loadPalette }]), [])
  useEffect(() => {
    if (isWanted) void loadPalette()
  }, [isWanted])

  function press(event: KeyboardEvent): boolean {
    const { key } = event
    if (isPaletteKey(event)) return (setOpen('palette'), true)
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false
    const view = event.timeStamp - leading.current < secondKeyMs ? views[key] : undefined
    leading.current = key === 'g' ? event.timeStamp : 0
    if (view !== undefined) route(pathTo(view))
    else if (key === '?') setOpen('keys')
    else if (key === '/') {
      if (!focusSearch()) setOpen('palette')
    } else if (key === 'c' && mayCreate) {
      route(pathTo(''))
      creating.set(true)
    } else return moveRow(key)
    return true
  }
  const onPress = useRef(press)
  useLayoutEffect(() => {
    onPress.current = press
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!document.querySelector('dialog[open]') && onPress.current(event)) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  return (
    <>
      <Button class="palette-button" icon="search" onClick={() => setOpen('palette')}>
        <span>{t('keys.palette')}</span>
        <kbd>Ctrl K</kbd>
      </Button>
      {isWanted && Palette && <Palette onClose={close} onKeys={() => setOpen('keys')} onDo={setDoing} />}
      {open === 'keys' && <KeyList title={t('keys.title')} keys={keys()} onClose={close} />}
      {doing && <ActionDialog {...doing} onClose={() => setDoing(undefined)} />}
    </>
  )
}

function keys(): readonly (readonly [keys: string, text: string])[] {
  return [
    ['Ctrl K', t('keys.palette')],
    ['⏎', t('keys.run')],
    ['⇧ ⏎', t('keys.form')],
    ['/', t('keys.search')],
    ['c', t('keys.create')],
    ['g  i', t('keys.goInstances')],
    ['g  m', t('keys.goMonitor')],
    ['g  a', t('keys.goActivity')],
    ['j  k', t('keys.rows')],
    ['x', t('keys.select')],
    ['?', t('keys.title')],
  ]
}
