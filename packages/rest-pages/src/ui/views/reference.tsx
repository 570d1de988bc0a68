import { Button, Notice, Skeleton, View } from '@steward/page-kit'
import { HtmlView } from '@steward/page-kit/viewers'
import '@steward/page-kit/viewers.css'
import { useState } from 'preact/hooks'
import { messageOf, Problem } from '../components/problem.js'
import { download } from '../lib/file.js'
import { t } from '../lib/i18n.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import '../styles/reference.css'

/**
 * The documentation that the service writes for this user, at `/ui/_reference`. It is asked for as everything is: a
 * window of its own would have no token, and the browser would ask for a password.
 */
export function Reference() {
  const { data, failure, reload } = useAsked('reference', async (signal) => {
    const answer = await client.documentation({ output: 'html', signal })
    return answer.text()
  })
  const [refusal, setRefusal] = useState('')

  async function saveOpenApi(): Promise<void> {
    try {
      download(await (await client.documentation({ output: 'openapi' })).blob(), 'openapi.json')
      setRefusal('')
    } catch (reason) {
      setRefusal(messageOf(reason))
    }
  }

  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  return (
    <View
      title={t('shell.documentation')}
      above={<a href={pathTo('')}>{t('home.title')}</a>}
      actions={
        <Button icon="save" onClick={() => void saveOpenApi()}>
          {t('reference.openapi')}
        </Button>
      }
    >
      {refusal && <Notice tone="bad" title={refusal} />}
      {data === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <div class="reference-page">
          <HtmlView html={data} title={t('shell.documentation')} />
        </div>
      )}
    </View>
  )
}
