import type { ComponentChildren } from 'preact'
import { Notice, Skeleton, Table, type TableProps } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { Panel } from '../../components/panel.js'
import type { ActionDialogProps } from '../../components/action-dialog.js'
import type { ApiState } from '../../lib/use-api.js'

/** Opens the dialog of an action. */
export interface AskProps {
  readonly ask: (asked: Omit<ActionDialogProps, 'onClose'>) => void
}

export interface ListPanelProps<Row> extends Pick<TableProps<Row>, 'columns' | 'rowKey'> {
  readonly title: string
  /** At the end of the heading's line. */
  readonly actions?: ComponentChildren
  readonly answer: ApiState<{ readonly list: readonly Row[] }>
  /** In place of an empty table. */
  readonly empty: ComponentChildren
  /** Before the table. */
  readonly children?: ComponentChildren
}

/** A part with the rows of an answer. */
export function ListPanel<Row>({ title, actions, answer, empty, children, ...table }: ListPanelProps<Row>) {
  const { data, failure, reload } = answer
  return (
    <Panel title={title} actions={actions} wide>
      {children}
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!data && !failure && <Skeleton lines={2} />}
      {data?.warnings?.map((warning) => (
        <div key={warning} lang="en">
          <Notice tone="warn" title={warning} />
        </div>
      ))}
      {data && (data.list.length === 0 ? empty : <Table caption={title} rows={data.list} {...table} />)}
    </Panel>
  )
}
