import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button } from '@steward/page-kit'
import { listFields } from '../lib/columns.js'
import { t } from '../lib/i18n.js'
import { labelOf } from '../lib/service.js'

export interface ColumnChoiceProps {
  readonly metadata: ObjectMetadata
  readonly shown: readonly FieldMetadata[]
  readonly onChoose: (names: readonly string[] | undefined) => void
}

/** Which columns a list shows. */
export function ColumnChoice({ metadata, shown, onChoose }: ColumnChoiceProps) {
  const names = shown.map(({ name }) => name)
  return (
    <>
      <Button icon="settings" popovertarget="columns">
        {t('list.columns')}
      </Button>
      <div class="panel column-choice" id="columns" popover="auto">
        {listFields(metadata).map((field) => (
          <label key={field.name} class="field field-check">
            <input
              type="checkbox"
              checked={names.includes(field.name)}
              disabled={names.length === 1 && names[0] === field.name}
              onChange={(event) =>
                onChoose(
                  event.currentTarget.checked ? [...names, field.name] : names.filter((name) => name !== field.name),
                )
              }
            />
            <span>{labelOf(field, metadata)}</span>
          </label>
        ))}
        <Button small onClick={() => onChoose(undefined)}>
          {t('list.reset')}
        </Button>
      </div>
    </>
  )
}
