/** The lines of a body, as they arrive. Reading stops, and the call ends, when the consumer stops. */
export async function* lines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  if (!reader) return
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const parts = (rest + value).split(/\r?\n/)
      rest = parts.pop() as string
      yield* parts
    }
    if (rest) yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}
