const newLine = 10

/**
 * Lines of UTF-8, without their ends. Unlike `node:readline` at `\n` only: texts in JSON may hold U+2028.
 *
 * @throws TypeError for bytes that are no UTF-8
 */
export async function* readLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest: Uint8Array[] = []
  for await (const chunk of content) {
    let from = 0
    for (let end = chunk.indexOf(newLine); end !== -1; end = chunk.indexOf(newLine, from)) {
      yield decoder.decode(Buffer.concat([...rest, chunk.subarray(from, end)]))
      rest = []
      from = end + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
  if (rest.length > 0) yield decoder.decode(Buffer.concat(rest))
}
