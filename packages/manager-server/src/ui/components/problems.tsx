import { Button, ButtonLink, Icon, Notice, useStore } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import { problems, useProblems } from '../lib/problems.js'
import '../styles/problems.css'

/** In the head of every page: that the manager itself cannot do what it should, and why. */
export function ProblemsMark() {
  const found = useProblems()
  const list = useRef<HTMLDivElement>(null)
  const { path } = useLocation()
  useEffect(() => problems.set(found), [found.join('\n')])
  useEffect(() => list.current?.hidePopover?.(), [path])
  return (
    <div class="problems" role="status">
      {found.length > 0 && (
        <>
          <Button
            kind="quiet"
            class="problems-mark"
            label={t('problems.count', { count: found.length })}
            popovertarget="problems"
          >
            <Icon name="alert" />
            {String(found.length)}
          </Button>
          <div class="panel problems-list" id="problems" popover="auto" ref={list}>
            <strong>{t('problems.title')}</strong>
            <Problems found={found} />
            <p>
              <ButtonLink small href={pathTo('manager')}>
                {t('problems.show')}
              </ButtonLink>
            </p>
          </div>
        </>
      )}
    </div>
  )
}

/** The same before what a page shows. */
export function ProblemsNotice() {
  const found = useStore(problems)
  if (found.length === 0) return null
  return (
    <Notice tone="warn" title={t('problems.title')}>
      <Problems found={found} />
    </Notice>
  )
}

function Problems({ found }: { readonly found: readonly string[] }) {
  return (
    <ul lang="en">
      {found.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  )
}
