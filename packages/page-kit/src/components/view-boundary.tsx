import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { Button } from './button.js'
import { EmptyState } from './empty-state.js'
import { View } from './view.js'

/** Shows that a view failed, instead of nothing at all, until there is another address. */
export function ViewBoundary({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const [error, reset] = useErrorBoundary()
  const at = useRef(path)
  if (error === undefined) at.current = path
  useEffect(() => {
    if (error !== undefined && at.current !== path) reset()
  }, [error, path])
  return error === undefined ? <>{children}</> : <ViewFailed />
}

/** Also when the files of a view cannot be loaded: after an update of the manager they have other names. */
export function ViewFailed() {
  return (
    <View title={t('page.failed')}>
      <EmptyState title={t('page.failedText')} icon="alert">
        <Button kind="primary" icon="refresh" onClick={() => location.reload()}>
          {t('page.reload')}
        </Button>
      </EmptyState>
    </View>
  )
}
