import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createContainerEngine } from './engine.js'

/** The socket of an engine that answers everything with this text. */
async function engineThatSays(text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-engine-'))
  const socket = join(folder, 'docker.sock')
  const server = createServer((_, response) => void response.end(text))
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  return socket
}

it.each(['', '\n'])('follow() reads the last line, also one that ends with "%s"', async (end) => {
  const lines: unknown[] = []
  const fine = createContainerEngine(await engineThatSays(`{"status":"a"}\n{"status":"b"}${end}`))
  await fine.follow('/images/create', {}, (line) => lines.push(line))
  expect(lines).toEqual([{ status: 'a' }, { status: 'b' }])
  const failing = createContainerEngine(await engineThatSays(`{"status":"a"}\n{"error":"no space left"}${end}`))
  await expect(failing.follow('/images/create', {}, () => {})).rejects.toThrow('no space left')
})
