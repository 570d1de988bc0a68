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

export interface ViewFailedProps {
  /** Loads the files of the view again. */
  readonly onRetry?: () => void
  /** They are being loaded. */
  readonly busy?: boolean
}

/** Also when the files of a view could not be loaded: without a connection, or because an update gave them other names. */
export function ViewFailed({ onRetry, busy = false }: ViewFailedProps) {
  const isOffline = onRetry !== undefined && !navigator.onLine
  return (
    <View title={t('page.failed')}>
      <EmptyState title={t(isOffline ? 'page.offlineText' : 'page.failedText')} icon="alert">
        <p class="tools">
          {!isOffline && (
            <Button kind="primary" icon="refresh" onClick={() => location.reload()}>
              {t('page.reload')}
            </Button>
          )}
          {onRetry && (
            <Button kind={isOffline ? 'primary' : 'plain'} busy={busy} onClick={onRetry}>
              {t('button.retry')}
            </Button>
          )}
        </p>
      </EmptyState>
    </View>
  )
}
