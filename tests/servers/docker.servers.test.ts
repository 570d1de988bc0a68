import { existsSync, globSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { dockerIsMissing, startDocker } from './docker.js'

function version(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/version' }, (response) => text(response).then(resolve, reject))
      .once('error', reject)
      .end()
  })
}

it('gives an engine of Docker that stops and starts, and leaves nothing behind', async ({ skip }) => {
  const missing = dockerIsMissing()
  if (missing !== undefined) return skip(missing)
  const docker = await startDocker()
  const { folder, socket, pid } = docker
  try {
    expect(JSON.parse(await version(socket))).toMatchObject({ Os: 'linux' })
    await docker.stop('SIGKILL')
    await expect(version(socket)).rejects.toThrow()
    await docker.start()
    expect(docker.pid).not.toBe(pid)
    expect(await version(socket)).toContain('ApiVersion')
  } finally {
    await docker.close()
  }
  expect(existsSync(folder)).toBe(false)
  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder)
  expect(globSync(`/sys/fs/cgroup/{,*/}steward-test-docker-${process.pid}-*`)).toEqual([])
})
