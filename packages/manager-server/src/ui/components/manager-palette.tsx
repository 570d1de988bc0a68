import type { ListedInstance, WireAction } from '@steward/manager-core'
import { Palette, useStore, type PaletteItem } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useMemo, useState } from 'preact/hooks'
import { pathTo, uiPath } from '../lib/addresses.js'
import { chosenInstances } from '../lib/chosen.js'
import { summaryOf, t } from '../lib/i18n.js'
import { commandsOf, neededFields, type Command } from '../lib/palette-commands.js'
import { recentIds, remember } from '../lib/recent.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import type { ActionDialogProps } from './action-dialog.js'
import { titleOf } from './action-form.js'

export interface ManagerPaletteProps {
  readonly onClose: () => void
  readonly onKeys: () => void
  readonly onDo: (action: Omit<ActionDialogProps, 'onClose'>) => void
}

const none: readonly never[] = []

/** Instances, pages, and every action that the user may perform. */
export function ManagerPalette({ onClose, onKeys, onDo }: ManagerPaletteProps) {
  const { path, route } = useLocation()
  const { rows } = useActionTable()
  const [words, setWords] = useState('')
  const chosen = useStore(chosenInstances)
  const { data, loading } = useApi<{ readonly list: readonly ListedInstance[] }>('list')
  const instances = data?.list ?? none
  const commands = useMemo(
    () =>
      commandsOf({
        words,
        actions: [...(rows?.values() ?? none)].filter(({ allowed }) => allowed),
        titleOf: nameOf,
        pages: pages(),
        instances: instances.map(({ name, firstname, lastname, company, owner_email: email }) => ({
          name,
          about: company || [firstname, lastname].filter(Boolean).join(' ') || email,
        })),
        current: currentOf(path),
        chosen,
        recent: recentIds(),
        texts: {
          instance: t('palette.instance'),
          selected: t('palette.selected', { count: chosen.length }),
        },
      }),
    [words, rows, instances, path, chosen],
  )
  const items = commands.map((command): PaletteItem => {
    const { id, label, about, to } = command
    if ('page' in to) return { id, label, about, run: () => (remember(id), route(pathTo(...to.page))) }
    const open = (fields?: readonly string[]) => () => {
      remember(id)
      onDo({ action: to.action.name, instances: to.instances, ...(fields && { fields }) })
    }
    return { id, label, about, run: open(neededFields(to.action)), form: open() }
  })
  const keys: PaletteItem = { id: 'keys', label: t('keys.title'), keys: '?', run: onKeys }
  const fits = words.trim() !== '' && keys.label.toLowerCase().includes(words.trim().toLowerCase())
  return (
    <Palette
      words={words}
      onWords={setWords}
      items={fits ? [...items, keys] : items}
      busy={loading && !data}
      onClose={onClose}
    />
  )
}

function nameOf(action: WireAction): string {
  return titleOf(action.name) ?? summaryOf(action).text
}

/** The instance whose page is shown. */
function currentOf(path: string): string | undefined {
  const [view, name] = path.slice(uiPath.length + 1).split('/')
  return view === 'instances' && name ? decodeURIComponent(name) : undefined
}

function pages(): readonly Command[] {
  const about = t('palette.page')
  return [
    ['', t('nav.instances')],
    ['monitor', t('nav.monitor')],
    ['activity', t('nav.activity')],
    ['trash', t('trash.title')],
  ].map(([to = '', label = '']) => ({ id: `page ${to}`, label, about, to: { page: [to] } }))
}
