import { Button, Icon, useStore } from '@steward/page-kit'
import { t } from '../lib/i18n.js'
import { viewAs } from '../lib/view-as.js'
import '../styles/view-banner.css'

/** Says that the pages show what another user sees, and ends it. */
export function ViewBanner() {
  const viewed = useStore(viewAs)
  if (!viewed) return null
  return (
    <div class="view-banner" role="status">
      <Icon name="alert" />
      <p>
        <strong>{t('viewAs.title', { login: viewed.login })}</strong> {t('viewAs.text')}
      </p>
      <Button small onClick={() => viewAs.set(undefined)}>
        {t('viewAs.stop')}
      </Button>
    </div>
  )
}
