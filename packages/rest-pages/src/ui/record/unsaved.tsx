import { Confirm } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'

/** Asks before a link, a reload or the end of the tab throws away what was typed. */
export function Unsaved({ changed, onDiscard }: { readonly changed: boolean; readonly onDiscard: () => void }) {
  const { route } = useLocation()
  const [target, setTarget] = useState('')
  useEffect(() => {
    if (!changed) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const opensElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || link?.target
      if (!link || link.origin !== location.origin || opensElsewhere || link.hash) return
      event.preventDefault()
      event.stopPropagation()
      setTarget(link.pathname + link.search)
    }
    addEventListener('beforeunload', onUnload)
    // Before the router, which listens on the window, too.
    addEventListener('click', onClick, { capture: true })
    return () => {
      removeEventListener('beforeunload', onUnload)
      removeEventListener('click', onClick, { capture: true })
    }
  }, [changed])
  return (
    <Confirm
      open={target !== ''}
      title={t('unsaved.title')}
      action={t('unsaved.discard')}
      danger
      onClose={() => setTarget('')}
      onConfirm={() => {
        onDiscard()
        route(target)
      }}
    >
      <p>{t('unsaved.text')}</p>
    </Confirm>
  )
}
