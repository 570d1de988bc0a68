import markAlert from '@steward/page-kit/mark-alert.svg'
import mark from '@steward/page-kit/mark.svg'
import { useEffect } from 'preact/hooks'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'

/** A red dot on the icon of the window while an incident is open: seen from other tabs, too. */
export function IncidentMark() {
  const { isAllowed } = useActionTable()
  const action = isAllowed('incidents') ? 'incidents' : undefined
  const { data } = useApi<{ readonly list: readonly unknown[] }>(action, { open: true }, { refreshMs: 30_000 })
  const isOpen = (data?.list.length ?? 0) > 0
  useEffect(() => {
    document.querySelector('link[rel=icon]')?.setAttribute('href', isOpen ? markAlert : mark)
  }, [isOpen])
  return null
}
