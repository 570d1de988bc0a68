import { EmptyState, formatNumber, Skeleton, Toolbar, View } from '@steward/page-kit'
import type { AnyRecord, IndexRecord } from '@steward/rest-client'
import { useLocation } from 'preact-iso'
import { Problem } from '../components/problem.js'
import { Words } from '../components/words.js'
import { wordsExpression } from '../lib/filters.js'
import { t } from '../lib/i18n.js'
import { readListAddress, writeListAddress } from '../lib/list-address.js'
import { useApiCall } from '../lib/screen.js'
import { pathToSection, sectionsOf } from '../lib/sections.js'
import { listObjects, metadataOf, type ObjectInfo } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo, settings } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { beginnings } from '../lib/search.js'
import { titleOf } from '../lib/title.js'
import '../styles/home.css'

/** Records that a search over all objects shows; the best come first. */
const mostFound = 50
/** Records from each object without an index, and how many such objects are searched. */
const mostOfEach = 10
const mostSearched = 20

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
      {objects && objects.length > 0 && (
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
      {objects && sectionsOf(objects).length > 0 && (
        <section class="home-admin" aria-label={t('admin.title')}>
          <h2>{t('admin.title')}</h2>
          <ul class="objects small">
            {sectionsOf(objects).map((section) => (
              <li key={section}>
                <a class="panel" href={pathToSection(section)}>
                  {t(`admin.${section}`)}
                </a>
              </li>
            ))}
          </ul>
        </section>
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
        <a href={pathTo('_reference')}>{t('shell.documentation')}</a>
        {settings.tester !== '' && (
          <a href={settings.tester} target="_blank" rel="noreferrer">
            {t('shell.tester')}
          </a>
        )}
      </p>
    </View>
  )
}

/** Records that have these words: those of all objects that have an index, the best first, then those of the others. */
function Found({ words, objects }: { readonly words: string; readonly objects: readonly ObjectInfo[] }) {
  const { data, failure, reload } = useAsked(words, async (signal) => {
    const others = objects.filter(({ isIndexed, isSystem }) => !isIndexed && !isSystem)
    const found = await Promise.all([
      objects.some(({ isIndexed }) => isIndexed) ? client.indexSearch(beginnings(words), { signal }) : [],
      ...others.slice(0, mostSearched).map((object) => searchIn(object, words, signal)),
    ])
    return found.flat()
  })
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
      {data.length > mostFound && <li class="quiet">{t('home.foundMore', { count: mostFound })}</li>}
    </ul>
  )
}

/** The first records of an object without an index that have the words in their texts. */
async function searchIn(
  { name }: ObjectInfo,
  words: string,
  signal: AbortSignal,
): Promise<readonly Pick<IndexRecord<AnyRecord>, 'object' | 'row_id' | 'key' | 'value'>[]> {
  const metadata = await metadataOf(name, 'list')
  const filter = wordsExpression(words, metadata.fields)
  if (filter === undefined) return []
  const { records } = await client.object(name).page({ filter, pageSize: mostOfEach, signal })
  return records.map((record) => ({ object: name, row_id: record.row_id, key: '', value: titleOf(record, metadata) }))
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
