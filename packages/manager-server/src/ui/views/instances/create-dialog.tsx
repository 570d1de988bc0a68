import { useId, useState } from 'preact/hooks'
import type { WireAction, WireInput } from '@steward/manager-core'
import { Button, ButtonLink, Dialog, Skeleton } from '@steward/page-kit'
import { ActionField } from '../../components/action-field.js'
import { ActionRun } from '../../components/action-run.js'
import type { FieldValue, FieldValues } from '../../lib/action-input.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useRun } from '../../lib/use-run.js'
import { CloneField, NameField, VersionField } from './create-fields.js'

/** What a new instance is made of. */
type Origin = 'add' | 'clone'

export interface CreateDialogProps {
  readonly onClose: () => void
  /** Something may be different now. */
  readonly onDone: () => void
}

/** Makes an instance: of a version, or as a clone of another one. Its fields are those of these actions. */
export function CreateDialog(props: CreateDialogProps) {
  const { rows } = useActionTable()
  const origins = (['add', 'clone'] as const).flatMap((name) => {
    const row = rows?.get(name)
    return row?.allowed ? [row] : []
  })
  const [origin, setOrigin] = useState<Origin>('add')
  const action = origins.find(({ name }) => name === origin) ?? origins[0]
  if (!action)
    return (
      <Dialog title={t('create.title')} onClose={props.onClose}>
        <Skeleton lines={4} />
      </Dialog>
    )
  return <Creation {...props} action={action} origins={origins} onOrigin={setOrigin} />
}

interface CreationProps extends CreateDialogProps {
  readonly action: WireAction
  readonly origins: readonly WireAction[]
  readonly onOrigin: (origin: Origin) => void
}

function Creation({ action, origins, onOrigin, onClose, onDone }: CreationProps) {
  const id = useId()
  const run = useRun(action)
  const [values, setValues] = useState<FieldValues>({})
  const set = (name: string, value: FieldValue) => setValues((before) => ({ ...before, [name]: value }))
  const isClone = action.name === 'clone'
  const field = (input: WireInput) => (
    <ActionField
      action={action.name}
      key={input.name}
      input={input}
      value={values[input.name] ?? ''}
      onChange={(value) => set(input.name, value)}
    />
  )
  const end = () => {
    onClose()
    onDone()
  }

  if (run.state !== 'idle') {
    const made = run.isOver && !run.hasFailed ? nameOf(run.result) : undefined
    return (
      <Dialog
        title={t('create.title')}
        onClose={end}
        footer={
          <>
            {run.hasFailed && <Button onClick={run.reset}>{t('run.change')}</Button>}
            <Button onClick={end}>{run.isOver ? t('button.close') : t('run.background')}</Button>
            {made !== undefined && (
              <ButtonLink kind="primary" href={pathTo('instances', made)}>
                {t('create.show', { name: made })}
              </ButtonLink>
            )}
          </>
        }
      >
        <ActionRun run={run} />
      </Dialog>
    )
  }

  return (
    <Dialog
      title={t('create.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('button.cancel')}</Button>
          <Button kind="primary" type="submit" form={id}>
            {t('create.submit')}
          </Button>
        </>
      }
    >
      <form
        id={id}
        class="action-form"
        onSubmit={(event) => {
          event.preventDefault()
          run.start(inputsOf(action, values))
        }}
      >
        <NameField required={isClone} value={String(values['name'] ?? '')} onChange={(value) => set('name', value)} />
        {origins.length > 1 && (
          <fieldset class="choices">
            <legend>{t('create.origin')}</legend>
            {origins.map(({ name }) => (
              <label key={name}>
                <input
                  type="radio"
                  name="origin"
                  value={name}
                  checked={name === action.name}
                  onChange={() => onOrigin(name as Origin)}
                />
                {t(name === 'clone' ? 'create.ofInstance' : 'create.ofVersion')}
              </label>
            ))}
          </fieldset>
        )}
        {isClone ? (
          <CloneField value={String(values['instance'] ?? '')} onChange={(value) => set('instance', value)} />
        ) : (
          <VersionField value={String(values['version'] ?? '')} onChange={(value) => set('version', value)} />
        )}
        {action.options.filter(({ type }) => type !== 'text').map(field)}
        {action.options.some(({ type }) => type === 'text') && (
          <details class="more-fields">
            <summary>{t('create.owner')}</summary>
            {action.options.filter(({ type }) => type === 'text').map(field)}
          </details>
        )}
      </form>
    </Dialog>
  )
}

/** What the action is called with. */
function inputsOf(
  { name: action, options }: Pick<WireAction, 'name' | 'options'>,
  { name = '', version = '', instance = '', ...rest }: FieldValues,
): FieldValues {
  const known = Object.fromEntries(Object.entries(rest).filter(([key]) => options.some((input) => input.name === key)))
  return action === 'clone' ? { ...known, name: instance, new: name } : { ...known, name, from: version }
}

function nameOf(result: unknown): string | undefined {
  const name = (result as { readonly item?: { readonly name?: unknown } } | undefined)?.item?.name
  return typeof name === 'string' ? name : undefined
}
