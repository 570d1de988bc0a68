import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Icon } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { textOfCondition, type Condition, type Conditions } from '../lib/filters.js'
import { t } from '../lib/i18n.js'
import { isReference, labelOf } from '../lib/service.js'
import { LinkedRecord } from '../record/linked.js'
import { FilterDialog } from './filter-dialog.js'

export interface FilterChipsProps {
  readonly metadata: ObjectMetadata
  readonly conditions: Conditions
  readonly onChange: (conditions: Conditions) => void
}

/** The conditions of a list, a chip each, and a button for another one. */
export function FilterChips({ metadata, conditions, onChange }: FilterChipsProps) {
  /** Field whose condition is edited; empty: a new one. */
  const [edited, edit] = useState<string>()
  const without = (name: string) => new Map([...conditions].filter(([one]) => one !== name))
  const chips = [...conditions].flatMap(([name, condition]): (readonly [FieldMetadata, Condition])[] => {
    const field = metadata.fields.find((one) => one.name === name)
    return field ? [[field, condition]] : []
  })
  return (
    <>
      {chips.map(([field, condition]) => {
        const label = labelOf(field, metadata)
        return (
          <span class="chip" key={field.name}>
            {isReference(field) && condition.kind === 'is' ? (
              // Which record it is comes from a record's page; a filter cannot be typed for it.
              <span class="chip-text">
                {label}:{' '}
                <strong>
                  {condition.codes.map((id) => (
                    <LinkedRecord key={id} object={field.refObject as string} id={id} link={false} />
                  ))}
                </strong>
              </span>
            ) : (
              <button type="button" title={t('filter.edit', { field: label })} onClick={() => edit(field.name)}>
                {label}: <strong>{textOfCondition(field, condition)}</strong>
              </button>
            )}
            <button
              type="button"
              aria-label={t('filter.remove', { field: label })}
              onClick={() => onChange(without(field.name))}
            >
              <Icon name="close" />
            </button>
          </span>
        )
      })}
      <Button icon="add" onClick={() => edit('')}>
        {t('filter.add')}
      </Button>
      {edited !== undefined && (
        <FilterDialog
          metadata={metadata}
          field={edited}
          condition={conditions.get(edited)}
          onClose={() => edit(undefined)}
          onApply={(name, condition) => {
            edit(undefined)
            onChange(new Map([...without(edited), [name, condition]]))
          }}
        />
      )}
    </>
  )
}
