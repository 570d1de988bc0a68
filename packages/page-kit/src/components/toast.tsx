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
}

interface Toast extends ToastOptions {
  readonly id: number
  readonly text: string
}

const shownMs = 8000
const toasts = createStore<readonly Toast[]>([])
let count = 0

/** Tells the result of something, from any place; a screen reader says it, too. */
export function toast(text: string, options: ToastOptions = {}): void {
  const id = ++count
  toasts.set([...toasts.get().slice(-3), { id, text, ...options }])
  if (options.tone !== 'bad') setTimeout(() => dismiss(id), shownMs)
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id))
}

/** Where they are shown: once, in the frame of all views. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-label={t('toast.region')}>
      {useStore(toasts).map(({ id, text, tone = 'good', link }) => (
        <div class={`toast ${tone}`} key={id}>
          <Icon name={tone === 'good' ? 'check' : 'alert'} />
          <p>
            {text} {link && <a href={link.href}>{link.text}</a>}
          </p>
          <Button kind="quiet" small icon="close" label={t('toast.dismiss')} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
