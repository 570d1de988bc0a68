import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DatabaseServerError } from './database-server.js'
import type { Dump, DumpOptions } from './database-server.js'
import { startTool } from './run-tool.js'
import type { ToolCall } from './run-tool.js'
import { createSilence, dumpSilenceMs, restoreSilenceMs } from './silence.js'
import { createTail } from './tail.js'

export interface ToolDump extends DumpOptions {
  readonly call: ToolCall
  /** Stands in the last bytes of a complete dump. */
  readonly trailer: string
  /** Changes the text on its way. */
  readonly edit?: (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>
  /** Programs with their versions. */
  readonly tools: Readonly<Record<string, string>>
  readonly translate: (error: unknown) => Error
}

/** A dump by a program. Its content ends only when the program ended well and its trailer is there; else it fails. */
export function dumpWithTool({ call, trailer, edit, tools, translate, onProgress, silenceMs }: ToolDump): Dump {
  const { process: child, ended } = startTool(call)
  const silence = createSilence({ child, command: call.command, ms: silenceMs ?? dumpSilenceMs })
  child.stdin.end()
  const content = new PassThrough()
  // A reader gets the error, too; there may be none.
  content.on('error', () => {})
  const done = pipeline(
    child.stdout,
    (stdout: AsyncIterable<Buffer>) => {
      const source = silence.over(stdout)
      return checked(edit ? edit(source) : source)
    },
    content,
  ).catch(async (error: unknown) => {
    child.kill('SIGKILL')
    await ended.catch(() => {})
    throw translate(error)
  })
  done.catch(() => {})
  return { content, done, tools }

  async function* checked(source: AsyncIterable<Buffer>) {
    const tail = createTail(trailer)
    let bytes = 0
    for await (const chunk of source) {
      tail.add(chunk)
      onProgress?.((bytes += chunk.length))
      yield chunk
    }
    await silence.during(ended).catch((error: unknown) => {
      throw translate(error)
    })
    if (!tail.isComplete()) throw new DatabaseServerError('ERR_FAILED', `${call.command} wrote no complete dump.`)
  }
}

export interface ToolRestore extends DumpOptions {
  readonly call: ToolCall
  readonly content: Readable
  readonly trailer: string
  /** Changes the text on its way, or refuses it. */
  readonly edit?: (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>
  /** Written to the program before and after the content; after it only when the content is complete. */
  readonly before?: string
  readonly after?: string
}

/**
 * Feeds a dump to a program.
 *
 * @throws DatabaseServerError ERR_FAILED, also for a dump that was cut off; untranslated.
 */
export async function restoreWithTool(restore: ToolRestore): Promise<void> {
  const { call, content, trailer, edit, before, after, onProgress, silenceMs = restoreSilenceMs } = restore
  const { process: child, ended } = startTool(call)
  const silence = createSilence({ child, command: call.command, ms: silenceMs })
  const tail = createTail(trailer)
  let bytes = 0
  // Nothing more need come.
  ended.catch(() => content.destroy())
  try {
    if (before) child.stdin.write(before)
    for await (const chunk of edit ? edit(content) : (content as AsyncIterable<Buffer>)) {
      tail.add(chunk)
      onProgress?.((bytes += chunk.length))
      if (!child.stdin.write(chunk)) await silence.during(Promise.race([drained(child.stdin), ended]))
      if (hasEnded()) break
    }
    if (!hasEnded() && !tail.isComplete()) throw new DatabaseServerError('ERR_FAILED', 'The dump is incomplete.')
  } catch (error) {
    // An error of the dump is the cause; else that of the program.
    if (hasEnded() && !DatabaseServerError.is(error)) await silence.during(ended)
    // Killed before its input ends: a program that sees the end would keep what it has.
    child.kill('SIGKILL')
    await ended.catch(() => {})
    throw error
  }
  const tooEarly = hasEnded()
  child.stdin.end(after)
  await silence.during(ended)
  if (tooEarly) throw new DatabaseServerError('ERR_FAILED', `${call.command} did not read the whole dump.`)

  function hasEnded(): boolean {
    return child.exitCode !== null || child.signalCode !== null || child.stdin.destroyed
  }
}

function drained(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.once('drain', done).once('close', done)
  })
}

/**
 * Dumps and restores at once. The error of the dump goes before that which it causes in the restore.
 *
 * @param warn takes the warnings of the dump when the copy is there
 */
export async function copyThrough(
  dump: Dump,
  restore: (content: Readable) => Promise<void>,
  warn?: (text: string) => void,
): Promise<void> {
  try {
    await restore(dump.content)
  } catch (error) {
    if (dump.content.errored) await dump.done
    dump.content.destroy()
    throw error
  }
  await dump.done
  if (warn) dump.warnings?.forEach((text) => warn(text))
}
