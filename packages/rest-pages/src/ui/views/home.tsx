import { EmptyState, formatNumber, Skeleton, Toolbar, View } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { Problem } from '../components/problem.js'
import { Words } from '../components/words.js'
import { t } from '../lib/i18n.js'
import { readListAddress, writeListAddress } from '../lib/list-address.js'
import { useApiCall } from '../lib/screen.js'
import { listObjects, type ObjectInfo } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo, settings } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { beginnings } from '../lib/use-records.js'
import '../styles/home.css'

/** Records that a search over all objects shows; the best come first. */
const mostFound = 50

/** The objects that the user may see, with their counts; those of the system apart. */
export function Home() {
  const { data: objects, failure, reload } = useAsked('objects', listObjects)
  const { url, route } = useLocation()
  const address = readListAddress(url.replace(/^[^?]*/, ''))
  useApiCall(
    address.words === '' ? { method: 'info', args: [] } : { method: 'indexSearch', args: [beginnings(address.words)] },
  )
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  const own = objects?.filter(({ isSystem }) => !isSystem) ?? []
  const system = objects?.filter(({ isSystem }) => isSystem) ?? []
  return (
    <View title={t('home.title')}>
      {objects?.some(({ isIndexed }) => isIndexed) && (
        <Toolbar>
          <Words
            value={address.words}
            label={t('home.search')}
            onSearch={(words) => route(pathTo('') + writeListAddress({ ...address, words }))}
          />
        </Toolbar>
      )}
      {objects && address.words !== '' && <Found words={address.words} objects={objects} />}
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

/** Records of all objects that have these words. */
function Found({ words, objects }: { readonly words: string; readonly objects: readonly ObjectInfo[] }) {
  const { data, failure, reload } = useAsked(words, (signal) => client.indexSearch(beginnings(words), { signal }))
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data) return <Skeleton lines={3} />
  if (data.length === 0) return <EmptyState title={t('list.noMatch')} icon="search" />
  return (
    <ul class="found panel" aria-label={t('home.found', { count: data.length })}>
      {data.slice(0, mostFound).map(({ object, row_id: id, key, value }) => (
        <li key={`${object}/${id}`}>
          <a href={pathTo(object, id)}>{[key, value].filter(Boolean).join(' ') || id}</a>
          <span class="quiet">{objects.find(({ name }) => name === object)?.label ?? object}</span>
        </li>
      ))}
    </ul>
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
