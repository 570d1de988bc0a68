import type { ButtonHTMLAttributes, ComponentChildren, PartialAnchorHTMLAttributes } from 'preact'
import '../styles/button.css'
import { Icon, type IconName } from './icon.js'

interface Looks {
  /** `primary`: the one thing to do here; `quiet`: without a frame. Default `plain`. */
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  readonly small?: boolean
  readonly icon?: IconName | undefined
  /** Absent: the icon alone is shown, and `label` is needed. */
  readonly children?: ComponentChildren
  /** What it does, for a screen reader and as a tip, when the text alone does not say it. */
  readonly label?: string
}

export interface ButtonProps extends Looks, Omit<ButtonHTMLAttributes, keyof Looks> {
  /** It is being done: it cannot be pressed again, and keeps its focus. */
  readonly busy?: boolean
}

/** `type` is `button` unless it is given. */
export function Button({
  kind,
  small,
  icon,
  children,
  label,
  busy = false,
  onClick,
  class: more,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={look({ kind, small, children }, more)}
      aria-label={label}
      title={label}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export interface ButtonLinkProps
  extends Looks, Omit<PartialAnchorHTMLAttributes<HTMLAnchorElement>, keyof Looks | 'role'> {
  readonly href: string
}

/** Leads elsewhere, and looks like a button. */
export function ButtonLink({ kind, small, icon, children, label, class: more, ...rest }: ButtonLinkProps) {
  return (
    <a {...rest} class={look({ kind, small, children }, more)} aria-label={label} title={label}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}

function look({ kind = 'plain', small = false, children }: Looks, more: unknown): string {
  const isBare = children === undefined
  return ['button', kind, small && 'small', isBare && 'bare', more].filter(Boolean).join(' ')
}
