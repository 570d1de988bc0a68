import { useId, useState } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { Button, ButtonLink, Dialog, Segments, Skeleton } from '@steward/page-kit'
import { ActionField, labelOf } from '../../components/action-field.js'
import { ActionRun } from '../../components/action-run.js'
import { Switch } from '../../components/switch.js'
import type { FieldValue, FieldValues } from '../../lib/action-input.js'
import { pathTo } from '../../lib/addresses.js'
import { databaseName } from '../../lib/databases.js'
import { t } from '../../lib/i18n.js'
import type { Instance } from '../../lib/instance.js'
import { useActionTable, useSession } from '../../lib/session.js'
import { suggestName } from '../../lib/suggest-name.js'
import { aboutKey, useUnscheduled } from '../../lib/use-schedule.js'
import { useRun } from '../../lib/use-run.js'
import { BackupField, InstanceField, NameField, VersionField } from './create-fields.js'
import { defaultsOf, inputsOf, origins, switches, type Origin, type Source } from './create-input.js'
import { Created, createdBy } from './created.js'

export interface CreateDialogProps {
  /** Those that there are: names that are taken, and what can be copied. */
  readonly instances: readonly Instance[]
  readonly onClose: () => void
  /** Something may be different now. */
  readonly onDone: () => void
}

/** Makes an instance from a template, as a copy of another one, or from a backup. */
export function CreateDialog(props: CreateDialogProps) {
  const { rows } = useActionTable()
  const session = useSession()
  const allowed = origins.flatMap((name) => {
    const row = rows?.get(name)
    return row?.allowed ? [row] : []
  })
  const [origin, setOrigin] = useState<Origin>('add')
  const [turn, setTurn] = useState(0)
  const action = allowed.find(({ name }) => name === origin) ?? allowed[0]
  if (!action || !session)
    return (
      <Dialog title={t('create.title')} onClose={props.onClose}>
        <Skeleton lines={4} />
      </Dialog>
    )
  return (
    <Creation
      {...props}
      key={turn}
      action={action}
      origins={allowed.map(({ name }) => name as Origin)}
      onOrigin={setOrigin}
      onAnother={() => setTurn(turn + 1)}
    />
  )
}

interface CreationProps extends CreateDialogProps {
  readonly action: WireAction
  readonly origins: readonly Origin[]
  readonly onOrigin: (origin: Origin) => void
  readonly onAnother: () => void
}

function Creation({ action, origins: all, onOrigin, onAnother, instances, onClose, onDone }: CreationProps) {
  const id = useId()
  const run = useRun(action)
  const unscheduled = useUnscheduled()
  const session = useSession()
  const isTaken = (name: string) => instances.some((one) => one.name.toLowerCase() === name.toLowerCase())
  const [values, setValues] = useState<FieldValues>(() => ({ name: suggestName(isTaken) }))
  const [source, setSource] = useState<Source>({})
  const set = (name: string, value: FieldValue) => setValues((before) => ({ ...before, [name]: value }))
  const origin = action.name as Origin
  const defaults = defaultsOf(origin, source, session?.defaults)
  const end = () => {
    onClose()
    onDone()
  }

  if (run.state !== 'idle') {
    const made = run.isOver && !run.hasFailed ? createdBy(run) : undefined
    return (
      <Dialog
        title={t('create.title')}
        onClose={end}
        footer={
          <>
            {run.hasFailed && <Button onClick={run.reset}>{t('run.change')}</Button>}
            {made && (
              <Button kind="quiet" icon="add" onClick={onAnother}>
                {t('create.another')}
              </Button>
            )}
            {made && (
              <ButtonLink href={pathTo('instances', made.name)}>{t('create.show', { name: made.name })}</ButtonLink>
            )}
            <Button onClick={end}>{run.isOver ? t('button.close') : t('run.background')}</Button>
          </>
        }
      >
        {made ? <Created {...made} hasNewUsers={origin === 'add'} /> : <ActionRun run={run} />}
      </Dialog>
    )
  }

  const takes = (name: string) => action.options.some((input) => input.name === name)
  const more = action.options.filter(
    ({ name }) => name === 'runtime' || name === 'no-start' || owner.some((one) => one === name),
  )
  const databases = session?.defaults.databases ?? []
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
          run.start(inputsOf(origin, { values, source, defaults, takes }))
        }}
      >
        <NameField value={String(values['name'])} isTaken={isTaken} onChange={(value) => set('name', value)} />
        {all.length > 1 && (
          <Segments
            label={t('create.origin')}
            value={origin}
            values={all.map((one) => [one, t(`create.from.${one}`)])}
            onChoose={(one) => {
              onOrigin(one)
              set('database', '')
            }}
          />
        )}
        {origin === 'add' && (
          <VersionField value={String(values['version'] ?? '')} onChange={(value) => set('version', value)} />
        )}
        {origin === 'clone' && (
          <InstanceField
            instances={instances}
            value={source.name ?? ''}
            onChange={(name) => setSource({ ...source, name, instance: instances.find((one) => one.name === name) })}
          />
        )}
        {origin === 'restore' && (
          <BackupField value={source.backup} onChange={(backup) => setSource({ ...source, backup })} />
        )}
        {takes('database') && databases.length > 1 && (
          <Segments
            label={labelOf('database')}
            value={String(values['database'] || defaults.database)}
            values={databases.map((one) => [
              one,
              one === defaults.database ? t('create.isDefault', { value: databaseName(one) }) : databaseName(one),
            ])}
            onChoose={(one) => set('database', one)}
          />
        )}
        <div>
          {switches.filter(takes).map((name) => (
            <Switch
              key={name}
              label={labelOf(name)}
              about={t(aboutKey(name, unscheduled))}
              on={(values[name] ?? (defaults[name] ? 'yes' : 'no')) === 'yes'}
              onChange={(on) => set(name, on ? 'yes' : 'no')}
            />
          ))}
        </div>
        {more.length > 0 && (
          <details class="more-fields">
            <summary>{t('form.advanced')}</summary>
            {more.map((input) => (
              <ActionField
                action={action.name}
                key={input.name}
                input={input}
                value={values[input.name] ?? ''}
                usual={input.name === 'runtime' ? defaults.runtime : undefined}
                onChange={(value) => set(input.name, value)}
              />
            ))}
          </details>
        )}
      </form>
    </Dialog>
  )
}

const owner = ['owner_email', 'firstname', 'lastname', 'phone', 'company']
