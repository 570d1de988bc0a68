import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { RuntimeItem } from '@steward/manager-core'
import { Button, toast } from '@steward/page-kit'
import { titleOf } from '../../components/action-form.js'
import { Panel } from '../../components/panel.js'
import { Switch } from '../../components/switch.js'
import { api, type ApiFailure } from '../../lib/api.js'
import { dataChanged } from '../../lib/changes.js'
import { t } from '../../lib/i18n.js'
import { isRunning } from '../../lib/instance.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { FlagsPanel } from './flags-panel.js'
import { SettingsOf } from './settings-of.js'
import type { TabProps } from './tab.js'

/** What can be changed of the instance, each by an action of its own, and the settings of its file. */
export function ConfigurationTab(props: TabProps) {
  return (
    <div class="tab-parts">
      <div class="parts">
        <Panel title={t('settings.identity')}>
          <CustomAddress key={props.item.custom_url} {...props} />
          <RuntimeChoice key={props.item.runtime} {...props} />
          <Buttons {...props} />
        </Panel>
        <FlagsPanel {...props}>
          <OutgoingSwitch {...props} />
        </FlagsPanel>
      </div>
      <SettingsOf {...props} />
    </div>
  )
}

/** The custom URL; what is wrong with it is said at the field. */
function CustomAddress({ item }: TabProps) {
  const { isAllowed } = useActionTable()
  const id = useId()
  const [url, setUrl] = useState(item.custom_url)
  const [wrong, setWrong] = useState('')
  const [isBusy, setBusy] = useState(false)
  if (!isAllowed('seturl')) return <Value label={t('settings.address')}>{item.custom_url || '–'}</Value>
  const save = async () => {
    setBusy(true)
    try {
      const { message } = await (url.trim() === ''
        ? api('reseturl', { name: item.name })
        : api('seturl', { name: item.name, url: url.trim() }))
      setWrong('')
      toast(message)
      dataChanged()
    } catch (failure) {
      const { message, help } = failure as ApiFailure
      setWrong([message, help].filter(Boolean).join(' '))
    }
    setBusy(false)
  }
  return (
    <form
      class="field"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <label for={id}>{t('settings.address')}</label>
      <span class="field-line">
        <input
          id={id}
          type="url"
          value={url}
          placeholder={item.public_url}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={wrong !== ''}
          aria-describedby={`${id}-about`}
          onInput={({ currentTarget }) => {
            setUrl(currentTarget.value)
            setWrong('')
          }}
        />
        <Button type="submit" busy={isBusy} disabled={url.trim() === item.custom_url}>
          {t('button.save')}
        </Button>
      </span>
      <p
        class={wrong === '' ? 'field-about' : 'field-wrong'}
        id={`${id}-about`}
        role={wrong === '' ? undefined : 'alert'}
      >
        {wrong === '' ? t('settings.addressAbout') : <span lang="en">{wrong}</span>}
      </p>
    </form>
  )
}

/** What runs it; those that this machine cannot use say why. */
function RuntimeChoice({ item, ask }: TabProps) {
  const { isAllowed } = useActionTable()
  const id = useId()
  const mayMove = isAllowed('move') && isAllowed('runtimes')
  const { data } = useApi<{ readonly list: readonly RuntimeItem[] }>(mayMove ? 'runtimes' : undefined)
  const [chosen, setChosen] = useState(item.runtime)
  if (!mayMove) return <Value label={t('field.runtime')}>{item.runtime}</Value>
  const list = data?.list ?? []
  const why = list.find(({ name }) => name === chosen && name !== item.runtime)
  const isUsable = why === undefined || why.usable === 'yes'
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault()
        if (isUsable) ask('move', { given: { to: chosen } })
      }}
    >
      <label for={id}>{t('field.runtime')}</label>
      <span class="field-line">
        <select
          id={id}
          value={chosen}
          aria-invalid={!isUsable}
          aria-describedby={`${id}-about`}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {(list.length === 0 ? [{ name: item.runtime }] : list).map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <Button type="submit" disabled={chosen === item.runtime || !isUsable}>
          {t('button.change')}
        </Button>
      </span>
      <p class={isUsable ? 'field-about' : 'field-wrong'} id={`${id}-about`} role={isUsable ? undefined : 'alert'}>
        {isUsable ? t('settings.runtimeAbout') : <span lang="en">{why.message}</span>}
      </p>
    </form>
  )
}

function Value({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="field">
      <span>{label}</span>
      <span>{children}</span>
    </div>
  )
}

/** What needs more than a field. */
function Buttons({ item, ask }: TabProps) {
  const { isAllowed } = useActionTable()
  const isOn = isRunning(item)
  const offered = [
    ['rename', true],
    ['setversion', true],
    ['iocredentials', true],
    ['isolate', item.account === ''],
    ['app-start', item.status === 'started' && !isOn],
    ['app-stop', item.status === 'started' && isOn],
  ] as const
  const shown = offered.filter(([action, fits]) => fits && isAllowed(action))
  if (shown.length === 0) return null
  return (
    <span class="part-buttons">
      {shown.map(([action]) => (
        <Button key={action} small onClick={() => ask(action)}>
          {titleOf(action)}
        </Button>
      ))}
    </span>
  )
}

/** Whether it sends mail, webhooks and other messages. */
function OutgoingSwitch({ item, ask }: TabProps) {
  const { isAllowed } = useActionTable()
  if (item.neutralised === undefined || item.neutralised === 'unknown') return null
  return (
    <Switch
      label={t('settings.outgoing')}
      about={t('settings.outgoingAbout')}
      on={item.neutralised === 'no'}
      disabled={!isAllowed('neutralise')}
      onChange={(on) => ask(on ? 'unneutralise' : 'neutralise')}
    />
  )
}
