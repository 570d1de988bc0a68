import type { ObjectMetadata } from '@steward/rest-core'
import { Button, ButtonLink, EmptyState, Notice, Skeleton, Table, Toolbar, useSelection, View } from '@steward/page-kit'
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Actions, onSearch } from '../components/actions.js'
import { ColumnChoice } from '../components/column-choice.js'
import { FilterChips } from '../components/filter-chips.js'
import { Problem } from '../components/problem.js'
import { Publications, ofSearch } from '../components/publications.js'
import { SelectionBar } from '../components/selection-bar.js'
import { Words } from '../components/words.js'
import { columnOf, useColumns } from '../lib/columns.js'
import { t } from '../lib/i18n.js'
import { readListAddress, writeListAddress, type ListAddress } from '../lib/list-address.js'
import { useApiCall, useCommands } from '../lib/screen.js'
import { metadataOf } from '../lib/service.js'
import { pathTo, pathToNew } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { searchOf } from '../lib/search.js'
import { callOf, useRecords } from '../lib/use-records.js'
import { titleOf } from '../lib/title.js'
import '../styles/list.css'

/** The records of an object, at `/ui/<Object>?…`. */
export function List() {
  const { object = '' } = useRoute().params
  const { data: metadata, failure, reload } = useAsked(object, () => metadataOf(object, 'list'))
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  // Another object starts afresh: columns, what is selected, what is typed.
  return metadata ? <ListOf key={metadata.name} metadata={metadata} /> : <Skeleton />
}

function ListOf({ metadata }: { readonly metadata: ObjectMetadata }) {
  const { url, route } = useLocation()
  const address = readListAddress(url.replace(/^[^?]*/, ''))
  const go = (change: Partial<ListAddress>, replace = false) =>
    route(pathTo(metadata.name) + writeListAddress({ ...address, ...change }), replace)
  const { fields, choose } = useColumns(metadata)
  const records = useRecords(metadata, address)
  const selection = useSelection()
  const search = searchOf(address, metadata)
  useApiCall(callOf(metadata, address))
  useCommands(
    useMemo(
      () =>
        metadata.create
          ? [
              {
                id: `new ${metadata.name}`,
                label: t('record.newTitle', { object: metadata.label || metadata.name }),
                keys: 'n',
                run: () => route(pathToNew(metadata.name)),
              },
            ]
          : [],
      [metadata],
    ),
  )
  const { rows, count } = records
  const plural = metadata.plurallabel || metadata.label || metadata.name
  // A filter cannot say what the index finds: then it is for records that are selected.
  const isWhole = search.byIndex === undefined
  const isFiltered = address.words !== '' || address.conditions.size > 0

  const columns = fields.map((field, at) => ({ ...columnOf(metadata, field, at), isOrdered: true }))
  const conditions = writeListAddress({ words: address.words, order: '', conditions: address.conditions })
  return (
    <View
      title={plural}
      aside={count !== undefined && t('list.count', { count })}
      actions={
        <>
          {metadata.crosstabs.map(({ name, label, help }) => (
            <ButtonLink key={name} title={help || undefined} href={pathTo(metadata.name, 'pivot', name) + conditions}>
              {label || name}
            </ButtonLink>
          ))}
          <Actions
            object={metadata.name}
            actions={isWhole ? metadata.actions.filter(onSearch) : []}
            target={{ filters: search.filters, filter: search.filter }}
            count={count}
            onDone={records.reload}
          />
          <Publications
            object={metadata.name}
            publications={isWhole ? metadata.publications.filter(ofSearch) : []}
            of={{ filters: search.filters, filter: search.filter, order: search.order }}
          />
          <ColumnChoice metadata={metadata} shown={fields} onChoose={choose} />
          {metadata.create && (
            <ButtonLink kind="primary" icon="add" href={pathToNew(metadata.name)}>
              {t('record.new')}
            </ButtonLink>
          )}
        </>
      }
    >
      <Toolbar>
        <Words
          value={address.words}
          label={t('list.search', { objects: plural })}
          onSearch={(words) => go({ words })}
        />
        <FilterChips
          metadata={metadata}
          conditions={address.conditions}
          onChange={(conditions) => go({ conditions })}
        />
      </Toolbar>
      {selection.selected.size > 0 && (
        <SelectionBar
          metadata={metadata}
          columns={columns.map(({ title }, at) => ({ title, field: fields[at]! }))}
          rows={rows.filter(({ row_id: id }) => selection.selected.has(id))}
          onClear={selection.clear}
          onChanged={() => {
            selection.clear()
            records.reload()
          }}
        />
      )}
      {records.live.added > 0 && (
        <Notice
          tone="good"
          title={t('live.added', { count: records.live.added })}
          action={
            <Button small onClick={records.reload}>
              {t('live.show')}
            </Button>
          }
        />
      )}
      {records.failure !== undefined && <Problem failure={records.failure} onRetry={records.reload} />}
      {rows.length > 0 ? (
        <Table
          caption={plural}
          columns={columns}
          rows={rows}
          rowKey={({ row_id: id }) => id}
          rowName={(record) => titleOf(record, metadata)}
          rowClass={({ row_id: id }) => records.live.marks.get(id)}
          order={address.order}
          onOrder={(order) => go({ order })}
          selection={selection}
        />
      ) : records.isLoading ? (
        <Skeleton lines={8} />
      ) : (
        records.failure === undefined && (
          <EmptyState title={isFiltered ? t('list.noMatch') : t('list.empty', { objects: plural })}>
            {isFiltered && <Button onClick={() => go({ words: '', conditions: new Map() })}>{t('list.clear')}</Button>}
          </EmptyState>
        )
      )}
      {records.hasMore && <More key={rows.length} isLoading={records.isLoading} onMore={records.more} />}
    </View>
  )
}

/** The next page comes by itself when its place is near; the button is for who goes there by keyboard. */
function More({ isLoading, onMore }: { readonly isLoading: boolean; readonly onMore: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && onMore(), {
      rootMargin: '800px',
    })
    watch.observe(place.current as Element)
    return () => watch.disconnect()
  }, [])
  return (
    <div class="list-more" ref={place}>
      <Button busy={isLoading} onClick={onMore}>
        {t('list.more')}
      </Button>
    </div>
  )
}
