import { useState } from 'preact/hooks'
import { Button } from '@steward/page-kit'
import { t } from '../lib/i18n.js'
import '../styles/action-form.css'
import { labelOf } from './action-field.js'
import { CopyButton } from './copy-button.js'

/** What else an action answered, beside its message: keys with one value, and a list. */
export function ActionResult({ result }: { readonly result: object }) {
  const answer = result as Readonly<Record<string, unknown>>
  const { list } = answer
  const once = secretsOf(answer['item'])
  const own = [...Object.entries(answer).filter(([key, value]) => !known.has(key) && isPlain(value)), ...once]
  return (
    <>
      {once.length > 0 && <p>{t('fact.once')}</p>}
      {own.length > 0 && (
        <dl class="facts">
          {own.map(([key, value]) => (
            <Fact key={key} name={key} value={String(value)} />
          ))}
        </dl>
      )}
      {Array.isArray(list) && list.length > 0 && <Rows list={list as readonly unknown[]} />}
    </>
  )
}

/** They are shown elsewhere. */
const known = new Set(['status', 'message', 'warnings', 'operation', 'code', 'help', 'command', 'output', 'plan', 'ok'])

function isPlain(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

/** Whether an answer holds something that not everyone near the screen should see. */
export function hasSecret(answer: object): boolean {
  return secretsOf(answer).length > 0 || secretsOf((answer as { readonly item?: unknown }).item).length > 0
}

function secretsOf(answer: unknown): readonly [name: string, value: unknown][] {
  return Object.entries(answer ?? {}).filter(([name, value]) => isSecret(name) && isPlain(value))
}

function isSecret(name: string): boolean {
  return /password|secret|token/i.test(name)
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  const [shown, setShown] = useState(!isSecret(name))
  return (
    <div>
      <dt>{labelOf(name)}</dt>
      <dd>
        <code>{shown ? value : '••••••••'}</code>
        {!shown && (
          <Button small onClick={() => setShown(true)} label={`${t('fact.show')}: ${labelOf(name)}`}>
            {t('fact.show')}
          </Button>
        )}
        <CopyButton value={value} of={labelOf(name)} />
      </dd>
    </div>
  )
}

/** A list of an answer as it is: texts, or rows with the keys of the first one. */
function Rows({ list }: { readonly list: readonly unknown[] }) {
  const [first] = list
  if (typeof first !== 'object' || first === null) return null
  const columns = Object.keys(first).filter((key) => list.some((row) => isPlain((row as Record<string, unknown>)[key])))
  return (
    <div class="answer-list" tabIndex={0} role="region" aria-label={t('fact.list')}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map((row, n) => (
            <tr key={n}>
              {columns.map((column) => (
                <td key={column}>{cellOf((row as Record<string, unknown>)[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function cellOf(value: unknown): string {
  return isPlain(value) || typeof value === 'boolean' ? String(value) : ''
}
