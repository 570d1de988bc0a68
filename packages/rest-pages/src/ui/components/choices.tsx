import { Button, Menu, type ButtonProps } from '@steward/page-kit'

export interface Choice {
  readonly id: string
  readonly label: string
  /** What it is for. */
  readonly help?: string | undefined
  readonly run: () => void
}

export interface ChoicesProps extends Pick<ButtonProps, 'small' | 'icon'> {
  /** Names the menu, when there is one. */
  readonly label: string
  readonly items: readonly Choice[]
  /** More than these are in a menu. Default 1. */
  readonly most?: number
}

/** A button for each thing to do, or a menu of many. */
export function Choices({ label, items, most = 1, small = false, icon }: ChoicesProps) {
  if (items.length > most)
    return (
      <Menu
        kind="plain"
        label={label}
        small={small}
        icon={icon ?? 'more'}
        groups={[items.map(({ id, label: text, run }) => ({ id, label: text, onSelect: run }))]}
      >
        {label}
      </Menu>
    )
  return (
    <>
      {items.map(({ id, label: text, help, run }) => (
        <Button key={id} small={small} icon={icon} title={help} onClick={run}>
          {text}
        </Button>
      ))}
    </>
  )
}
