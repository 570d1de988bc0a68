import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/**
 * Shows a dialog over the page as long as the component is there. The focus goes back to where it was, in the frame in
 * which the dialog goes, unless the user is elsewhere by then: keys that are pressed next are no longer for the dialog.
 */
export function useModal(element: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const dialog = element.current as HTMLDialogElement
    const before = document.activeElement
    dialog.showModal()
    const first = dialog.querySelector<HTMLElement>('[autofocus]')
    ;(first ?? dialog).focus()
    return () => {
      const { activeElement } = document
      const isLeft = activeElement !== document.body && !dialog.contains(activeElement)
      dialog.close()
      if (isLeft) return
      // What was done may have taken the button away.
      const isThere = before instanceof HTMLElement && before.isConnected
      ;(isThere ? before : document.getElementById('main'))?.focus()
    }
  }, [])
}
