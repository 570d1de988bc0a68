import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { removeIfEmpty, socketFolder } from './socket-folder.js'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-sockets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

it.runIf(process.getuid?.() === 0)(
  "socketFolder() is root's, whatever the umask, and another one for each home",
  () => {
    const parent = join(makeFolder(), 'steward')
    const report = vi.fn<(message: string) => void>()
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const [one = '', other = ''] = ['/srv/one', '/srv/other'].map((home) =>
      socketFolder(home, { onProblem: report, parent }),
    )
    expect(one).not.toBe(other)
    for (const folder of [parent, one, other]) expect(statSync(folder)).toMatchObject({ uid: 0, mode: 0o40711 })
    expect(report).not.toHaveBeenCalled()
    removeIfEmpty(one)
    expect(() => statSync(one)).toThrow('ENOENT')
    removeIfEmpty(one)
  },
)

it.runIf(process.getuid?.() === 0)('socketFolder() uses no folder of another user, and says so', () => {
  const parent = join(makeFolder(), 'steward')
  const report = vi.fn<(message: string) => void>()
  mkdirSync(parent)
  chownSync(parent, 65_534, 65_534)
  expect(socketFolder('/srv/one', { onProblem: report, parent })).toBeUndefined()
  const link = join(makeFolder(), 'link')
  symlinkSync(makeFolder(), link)
  expect(socketFolder('/srv/one', { onProblem: report, parent: link })).toBeUndefined()
  expect(report).toHaveBeenCalledTimes(2)
  expect(report).toHaveBeenCalledWith(expect.stringContaining('does not belong to root'))
})
