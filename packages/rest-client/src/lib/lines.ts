/**
 * The lines of a body, as they arrive. Reading stops, and the call ends, when the consumer stops. After an abort no line
 * is given any more, also of those that are here already.
 */
export async function* lines(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  if (!reader) return
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const parts = (rest + value).split(/\r?\n/)
      rest = parts.pop() as string
      for (const part of parts) {
        signal?.throwIfAborted()
        yield part
      }
    }
    signal?.throwIfAborted()
    if (rest) yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}
