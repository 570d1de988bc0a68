import { useState } from 'preact/hooks'
import { Button } from '@steward/page-kit'
import { t } from '../lib/i18n.js'

export interface CopyButtonProps {
  readonly value: string
  /** What is copied, for a screen reader. */
  readonly of: string
  /** Default: “Copy”; `icon`: without a text. */
  readonly text?: string
  readonly kind?: 'plain' | 'quiet'
}

/** Puts a text into the clipboard, and says that it did. */
export function CopyButton({ value, of, text = t('fact.copy'), kind = 'plain' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  const does = t(copied ? 'fact.copied' : 'fact.copy')
  return (
    <Button
      small
      kind={kind}
      icon={copied ? 'check' : 'copy'}
      label={`${does}: ${of}`}
      onClick={() => void navigator.clipboard?.writeText(value).then(() => setCopied(true))}
    >
      {text === 'icon' ? undefined : copied ? does : text}
    </Button>
  )
}
