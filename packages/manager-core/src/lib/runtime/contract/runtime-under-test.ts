import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { InstanceRef, InstanceSpec, Runtime } from '../runtime.js'

/** A runtime, and how the suite gets instances of it. */
export interface RuntimeUnderTest {
  readonly runtime: Runtime
  /** The same instances for another process: nothing is shared with `runtime` but what is outside of it. */
  another(): Runtime
  /**
   * An instance that is not defined yet and runs the test program with this environment, `TEST_PORT` being its port.
   * `label` is part of its folder's name where it has one.
   */
  spec(label: string, port: number, environment: Readonly<Record<string, string>>): Promise<InstanceSpec>
  close(): Promise<void>
}

/** What the test program answers, at its socket if that is given; undefined: nothing, within that time. */
export function ask(
  { port, socket: socketPath }: Pick<InstanceSpec, 'port'> & { readonly socket?: string },
  path: string,
  parameters: Readonly<Record<string, string>> = {},
  timeoutMs = 5000,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve) => {
    get(
      {
        host: '127.0.0.1',
        port,
        socketPath,
        path: `${path}?${new URLSearchParams(parameters).toString()}`,
        agent: false,
        signal,
      },
      (response) => void text(response).then(resolve, () => resolve(undefined)),
    ).once('error', () => resolve(undefined))
  })
}

export async function logOf(runtime: Runtime, ref: InstanceRef, lines?: number): Promise<readonly string[]> {
  const found: string[] = []
  for await (const line of runtime.logs(ref, { ...(lines !== undefined && { lines }) })) found.push(line)
  return found
}
