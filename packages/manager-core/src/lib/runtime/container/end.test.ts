import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ManagerError } from '../../../errors.js'
import { runFolderOf } from '../copies.js'
import { hasRunFile, putRunFile } from '../run-files.js'
import { endContainer } from './end.js'
import type { ContainerEngine } from './engine.js'
import { labels } from './names.js'

/** An engine with one container, which refuses to stop it so often. */
function engineThatRefuses(times: number, folder: string) {
  const asked: string[] = []
  let status = 'restarting'
  const engine = {
    ask: (method: string, path: string) => {
      asked.push(`${method} ${path.slice(path.lastIndexOf('/') + 1)}`)
      if (path.endsWith('/json')) {
        const ours = { [labels.folder]: folder }
        return Promise.resolve({ Config: { Labels: ours }, State: { Status: status, ExitCode: 0 } })
      }
      if (path.endsWith('/stop')) {
        if (times-- > 0) return Promise.reject(new ManagerError('ERR_FAILED', 'cannot stop container'))
        status = 'exited'
      }
      return Promise.resolve(undefined)
    },
  } as unknown as ContainerEngine
  return { engine, stops: () => asked.filter((each) => each === 'POST stop').length }
}

it.each([
  [0, 1, false],
  [2, 3, false],
  [3, 3, true],
])('an engine that refuses %d times is asked to stop a container %d times', async (times, stops, fails) => {
  const instances = mkdtempSync(join(tmpdir(), 'steward-end-'))
  onTestFinished(() => rmSync(instances, { recursive: true }))
  const ref = { id: 'i1', folder: join(instances, 'i1'), copy: 'a' as const }
  mkdirSync(runFolderOf(ref), { recursive: true })
  putRunFile(runFolderOf(ref), 'supervisor', 'container\n')
  const { engine, stops: counted } = engineThatRefuses(times, ref.folder)
  const ended = endContainer(engine, ref, 0)
  if (fails) await expect(ended).rejects.toThrow('cannot stop container')
  else expect(await ended).toEqual({ wasRunning: true })
  expect(counted()).toBe(stops)
  expect(hasRunFile(runFolderOf(ref), 'supervisor')).toBe(fails)
})
