// Adds an instance over the manager's API and shows the steps as they are done: node add-instance.ts <name>
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

interface Step {
  readonly id: string
  readonly title: string
}

const { MANAGER_URL: base = 'http://127.0.0.1:8000', MANAGER_TOKEN: token = '' } = process.env

/** Calls an action; `Authorization: Bearer` is what the manager wants of programs that change something. */
function call(parameters: Readonly<Record<string, string>>, accept = 'application/json'): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, Accept: accept }
  return fetch(`${base}/api?${new URLSearchParams(parameters).toString()}`, { headers })
}

/** The events of a stream; data may be an operation, something that happened, or the result. */
async function* eventsOf(response: Response) {
  const lines = createInterface({ input: Readable.fromWeb(response.body as never) })
  let name = ''
  for await (const line of lines) {
    if (line.startsWith('event: ')) name = line.slice(7)
    else if (line.startsWith('data: ')) yield { name, data: JSON.parse(line.slice(6)) as Record<string, unknown> }
  }
}

const begun = (await (await call({ action: 'add', name: process.argv[2] ?? '', async: 'true' })).json()) as {
  readonly status: number
  readonly message: string
  readonly operation: string
}
if (begun.status !== 0) {
  process.stderr.write(`${begun.message}\n`)
  process.exitCode = begun.status
} else {
  // The operation continues in a process of its own, whether it is followed or not.
  let steps: readonly Step[] = []
  for await (const { name, data } of eventsOf(
    await call({ action: 'operation', id: begun.operation }, 'text/event-stream'),
  )) {
    const planned = data['steps'] as readonly Step[] | undefined
    if (planned && planned.length > 0) steps = planned
    if (name === 'event' && data['type'] === 'step' && data['state'] === 'done')
      process.stdout.write(`  ${steps.find(({ id }) => id === data['step'])?.title ?? String(data['step'])}\n`)
    if (name !== 'result') continue
    process.stdout.write(`${String(data['message'])}\n`)
    process.exitCode = Number(data['status'])
  }
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}
