import { useState } from 'preact/hooks'
import { View } from '@steward/page-kit'
import { ActionDialog, type ActionDialogProps } from '../components/action-dialog.js'
import { ProblemsNotice } from '../components/problems.js'
import { t } from '../lib/i18n.js'
import { useActionTable } from '../lib/session.js'
import '../styles/manager.css'
import { Checks } from './manager/checks.js'
import { Schedules } from './manager/schedules.js'
import { ManagerSettings } from './manager/settings.js'
import { Targets } from './manager/targets.js'
import { Tokens } from './manager/tokens.js'
import { Versions } from './manager/versions.js'

/** What concerns all instances; parts that the user may not read are left out. */
export function ManagerView() {
  const { isAllowed } = useActionTable()
  const [asked, setAsked] = useState<Omit<ActionDialogProps, 'onClose'>>()
  return (
    <View title={t('nav.manager')}>
      <div class="tab-parts list-panel">
        <ProblemsNotice />
        {isAllowed('versions') && <Versions ask={setAsked} />}
        {isAllowed('target-list') && <Targets ask={setAsked} />}
        {isAllowed('schedules') && <Schedules />}
        {isAllowed('doctor') && <Checks />}
        {isAllowed('token-list') && <Tokens ask={setAsked} />}
        {isAllowed('config') && <ManagerSettings />}
      </div>
      {asked && <ActionDialog {...asked} onClose={() => setAsked(undefined)} />}
    </View>
  )
}
