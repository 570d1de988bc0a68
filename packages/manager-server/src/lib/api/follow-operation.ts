import type { Context } from 'koa'
import type { Answer, ManagerContext } from '@steward/manager-core'
import { termsFor } from './api-terms.js'
import { sendEvents } from './send-events.js'

/** Sends the progress of an operation from the event on that the client had last; nothing after the end. */
export async function followOperation(
  context: Context,
  runs: ManagerContext['runs'],
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const after = context.get('Last-Event-ID')
  if (after === 'end') {
    // Makes an EventSource stop asking.
    context.status = 204
    return
  }
  const events = async function* () {
    for await (const { id: at, type, data } of runs.follow(id, { after, signal }))
      yield { id: at, event: type, data: termsFor(context, data as Answer) }
  }
  await sendEvents(context, events())
}
