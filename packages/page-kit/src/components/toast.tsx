import { t } from '../lib/i18n.js'
import { createStore, useStore } from '../lib/store.js'
import '../styles/toast.css'
import { Button } from './button.js'
import { Icon } from './icon.js'

export interface ToastOptions {
  /** `bad` stays until it is dismissed. Default `good`. */
  readonly tone?: 'good' | 'warn' | 'bad'
  /** Where more is to be seen. */
  readonly link?: { readonly href: string; readonly text: string }
  /** What can be done about it; pressed, the message goes. */
  readonly action?: { readonly text: string; readonly onPress: () => void }
  /** How long it stays. Default: 8 seconds, and of `bad` ones for ever. */
  readonly shownMs?: number
}

interface Toast extends ToastOptions {
  readonly id: number
  readonly text: string
}

const usualMs = 8000
const toasts = createStore<readonly Toast[]>([])
let count = 0

/** Announces the result of something, from any place; a screen reader says it, too. @returns takes it away */
export function toast(text: string, options: ToastOptions = {}): () => void {
  const id = ++count
  const { tone, shownMs = tone === 'bad' ? Infinity : usualMs } = options
  toasts.set([...toasts.get().slice(-3), { id, text, ...options }])
  if (shownMs !== Infinity) setTimeout(() => dismiss(id), shownMs)
  return () => dismiss(id)
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id))
}

/** Where they are shown: once, in the frame of all views. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-label={t('toast.region')}>
      {useStore(toasts).map(({ id, text, tone = 'good', link, action }) => (
        <div class={`toast ${tone}`} key={id}>
          <Icon name={tone === 'good' ? 'check' : 'alert'} />
          <p>
            {text} {link && <a href={link.href}>{link.text}</a>}
          </p>
          {action && (
            <Button
              kind="quiet"
              small
              onClick={() => {
                dismiss(id)
                action.onPress()
              }}
            >
              {action.text}
            </Button>
          )}
          <Button kind="quiet" small icon="close" label={t('toast.dismiss')} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
