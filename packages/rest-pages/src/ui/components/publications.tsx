import type { PublicationMetadata } from '@steward/rest-core'
import type { ButtonProps } from '@steward/page-kit'
import { useMemo, useState } from 'preact/hooks'
import { fileOf } from '../lib/file.js'
import { t } from '../lib/i18n.js'
import { useCommands } from '../lib/screen.js'
import { client } from '../lib/session.js'
import { FileDialog } from './file-dialog.js'
import { Choices } from './choices.js'

/** A record, or the records of a search. */
export type Published =
  | { readonly rowId: string }
  | {
      readonly filters: Readonly<Record<string, string | readonly string[]>>
      readonly filter?: string | undefined
      readonly order?: readonly '-created_dt'[] | undefined
    }

export interface PublicationsProps extends Pick<ButtonProps, 'small'> {
  readonly object: string
  readonly publications: readonly PublicationMetadata[]
  readonly of: Published
}

/** Documents created from records, to be previewed and saved. */
export function Publications({ object, publications, of, small = false }: PublicationsProps) {
  const [open, setOpen] = useState<PublicationMetadata>()
  const items = publications.map((one) => ({
    id: `publication ${one.name}`,
    label: one.label || one.name,
    help: one.help || undefined,
    run: () => setOpen(one),
  }))
  useCommands(
    useMemo(() => (small ? [] : items.map((one) => ({ ...one, about: t('publication.title') }))), [publications]),
  )
  return (
    <>
      <Choices label={t('publication.title')} icon="print" small={small} items={items} />
      {open && (
        <FileDialog
          title={open.label || open.name}
          onClose={() => setOpen(undefined)}
          load={async (signal) =>
            fileOf(await client.object(object).publication(open.name, { ...of, signal }), `${open.name}.${open.format}`)
          }
        />
      )}
    </>
  )
}

/** Whether it is created from several records. */
export function ofSearch({ scope }: PublicationMetadata): boolean {
  return scope !== 'record'
}
