import { EmptyState, formatNumber, Skeleton, View } from '@steward/page-kit'
import { Problem } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { listObjects, type ObjectInfo } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo, settings } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import '../styles/home.css'

/** The objects that the user may see, with their counts; those of the system apart. */
export function Home() {
  const { data: objects, failure, reload } = useAsked('objects', listObjects)
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  const own = objects?.filter(({ isSystem }) => !isSystem) ?? []
  const system = objects?.filter(({ isSystem }) => isSystem) ?? []
  return (
    <View title={t('home.title')}>
      {objects === undefined ? (
        <Skeleton />
      ) : objects.length === 0 ? (
        <EmptyState title={t('home.empty')}>
          <p>{t('home.emptyText')}</p>
        </EmptyState>
      ) : (
        <ul class="objects">
          {own.map((object) => (
            <Card key={object.name} object={object} />
          ))}
        </ul>
      )}
      {system.length > 0 && (
        <details class="home-system" open={own.length === 0}>
          <summary>{t('home.system')}</summary>
          <ul class="objects small">
            {system.map(({ name, plural }) => (
              <li key={name}>
                <a class="panel" href={pathTo(name)}>
                  {plural}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p class="home-more">
        <a href={`${settings.rest}/?_doc=true&_output=html`} target="_blank" rel="noreferrer">
          {t('shell.documentation')}
        </a>
        {settings.tester !== '' && (
          <a href={settings.tester} target="_blank" rel="noreferrer">
            {t('shell.tester')}
          </a>
        )}
      </p>
    </View>
  )
}

function Card({ object: { name, plural } }: { readonly object: ObjectInfo }) {
  const { data } = useAsked(name, (signal) => client.object(name).count({}, { signal }))
  return (
    <li>
      <a class="panel" href={pathTo(name)}>
        <strong>{plural}</strong>
        <span class="object-count">{data === undefined ? ' ' : formatNumber(data.count)}</span>
      </a>
    </li>
  )
}
