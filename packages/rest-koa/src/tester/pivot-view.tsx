import { formatNumber } from '@steward/page-kit/format'
import * as shared from '@steward/page-kit/pivot'
import type { Pivot, PivotTexts } from '@steward/page-kit/pivot'
import { useState } from 'preact/hooks'
import { t } from './i18n.js'
import { SelectField } from './controls.js'

const texts: PivotTexts = {
  table: t('pivot.table'),
  total: t('pivot.total'),
  subtotal: (place) => t('pivot.subtotal', { place }),
  number: (value) => formatNumber(value, 3),
  value: (_axis, _at, value) => (value === null || value === '' ? t('pivot.empty') : String(value)),
}

export function PivotView({ pivot }: { readonly pivot: Pivot }) {
  const { chosen, choice } = useValue(pivot)
  return (
    <>
      {choice}
      <shared.PivotView pivot={pivot} value={chosen} texts={texts} />
    </>
  )
}

export function PivotChart({ pivot }: { readonly pivot: Pivot }) {
  const { chosen, choice } = useValue(pivot)
  return (
    <>
      {choice}
      <shared.PivotChart pivot={pivot} value={chosen} texts={texts} />
    </>
  )
}

/** Which of the values is shown; a list to choose from when there are several. */
function useValue({ values }: Pivot) {
  const [name, setName] = useState(values[0]?.name ?? '')
  const found = values.findIndex((value) => value.name === name)
  const choice = values.length > 1 && (
    <SelectField
      name="pivot-value"
      label={t('pivot.value')}
      value={name}
      onInput={setName}
      choices={values.map((value) => ({ value: value.name, label: value.label }))}
    />
  )
  return { chosen: Math.max(0, found), choice }
}
