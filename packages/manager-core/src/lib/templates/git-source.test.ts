import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { testTemplateSource } from '../testing/template-source-suite.js'
import { parseGitLocation } from './git-location.js'
import { createGitSource } from './git-source.js'

const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.org', '-c', 'init.defaultBranch=main']

/** A repository with a work folder beside, and a source to read it. */
function createRepository() {
  const base = mkdtempSync(join(tmpdir(), 'steward-git-'))
  const work = join(base, 'shop')
  const workFolder = join(base, 'work')
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: work, encoding: 'utf8' }).trim()
  mkdirSync(work)
  mkdirSync(workFolder)
  git('init', '--quiet')
  return {
    ...{ work, workFolder, git },
    url: `file://${work}`,
    source: createGitSource({ workFolder }),
    commit(files: Readonly<Record<string, string>>) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true })
        writeFileSync(join(work, path), content)
      }
      git('add', '--all')
      git('commit', '--quiet', '--message=Change')
      return git('rev-parse', 'HEAD')
    },
    close: () => rmSync(base, { recursive: true }),
  }
}

testTemplateSource('git', () => {
  const { source, commit, url, workFolder, close } = createRepository()
  return {
    ...{ source, workFolder, close },
    missing: `git:${url}-nowhere#main`,
    publish(files) {
      commit(files)
      return `git:${url}#main`
    },
  }
})

describe('git source', () => {
  let repository: ReturnType<typeof createRepository>
  let folder: string

  beforeEach(() => {
    repository = createRepository()
    folder = mkdtempSync(join(tmpdir(), 'steward-fetched-'))
  })

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
    repository.close()
  })

  const fetched = async (location: string) => {
    const revision = await repository.source.latest(location)
    await repository.source.fetch(location, revision, folder)
    expect(readdirSync(repository.workFolder)).toEqual([])
    return { revision, files: readdirSync(folder).toSorted() }
  }

  it('takes branches, tags, whole commits, and what the repository calls its own', async () => {
    const { commit, git, source, url } = repository
    const first = commit({ 'app.yaml': 'one' })
    git('tag', '--annotate', '--message=First', 'v1.0')
    const second = commit({ 'app.yaml': 'two' })
    git('branch', 'feature/a+b')
    for (const [ref, revision] of [
      ['', second],
      ['#main', second],
      ['#feature/a+b', second],
      ['#v1.0', first],
      [`#${first}`, first],
    ] as const)
      expect((await source.latest(`git:${url}${ref}`)).revision).toBe(revision)
    await expect(source.latest(`git:${url}#nowhere`)).rejects.toThrow(/nowhere/)
  })

  it('takes one folder of the repository', async () => {
    const { commit, url } = repository
    commit({ 'README.md': 'x', 'apps/shop/app.yaml': 'shop', 'apps/shop/objects/thing.yaml': 'Thing' })
    expect((await fetched(`git:${url}?path=apps/shop/#main`)).files).toEqual(['app.yaml', 'objects'])
    await expect(fetched(`git:${url}?path=apps/other#main`)).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
  })

  it('runs no filter of the user that a repository asks for', async () => {
    const { commit, url, work } = repository
    commit({ 'app.yaml': 'shop', '.gitattributes': 'app.yaml filter=shout\n' })
    const settings = join(work, '..', 'gitconfig')
    writeFileSync(settings, '[filter "shout"]\n\tsmudge = tr a-z A-Z\n')
    vi.stubEnv('GIT_CONFIG_GLOBAL', settings)
    onTestFinished(() => void vi.unstubAllEnvs())
    await fetched(`git:${url}#main`)
    expect(readFileSync(join(folder, 'app.yaml'), 'utf8')).toBe('shop')
  })

  it('refuses submodules, which would be empty folders', async () => {
    const { git, commit, url } = repository
    commit({ 'app.yaml': 'shop', 'other/app.yaml': 'other' })
    git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},objects/shared`)
    git('commit', '--quiet', '--message=Add a submodule')
    await expect(fetched(`git:${url}`)).rejects.toMatchObject({
      code: 'ERR_TEMPLATE',
      message: `${url} has submodules, which are not fetched: objects/shared.`,
    })
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    expect(await fetched(`git:${url}?path=other`)).toMatchObject({ files: ['app.yaml'] })
  })

  it.runIf(process.getuid?.() === 0)("says how to trust another user's repository", async () => {
    repository.commit({ 'app.yaml': 'shop' })
    execFileSync('chown', ['-R', '54321', repository.work])
    const failure = await repository.source.latest(`git:${repository.url}`).catch((reason: unknown) => reason)
    expect(failure).toMatchObject({
      message: expect.stringContaining('dubious ownership'),
      help: expect.stringContaining(`git config --global --add safe.directory ${repository.work}`),
    })
  })

  it('runs no hooks of the user', async () => {
    const { commit, url, work } = repository
    commit({ 'app.yaml': 'shop' })
    const hooks = join(work, '..', 'hooks')
    mkdirSync(hooks)
    for (const name of ['post-checkout', 'reference-transaction', 'post-index-change'])
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${join(hooks, 'ran')}\n`, { mode: 0o755 })
    writeFileSync(join(hooks, 'config'), `[core]\n\thooksPath = ${hooks}\n`)
    process.env.GIT_CONFIG_GLOBAL = join(hooks, 'config')
    try {
      await fetched(`git:${url}`)
    } finally {
      delete process.env.GIT_CONFIG_GLOBAL
    }
    expect(readdirSync(hooks)).not.toContain('ran')
  })

  it('keeps links as links', async () => {
    const { commit, url, work } = repository
    symlinkSync('/etc/passwd', join(work, 'link'))
    commit({ 'app.yaml': 'shop' })
    // What reads the folder afterwards refuses it.
    expect((await fetched(`git:${url}`)).files).toEqual(['app.yaml', 'link'])
    expect(readlinkSync(join(folder, 'link'))).toBe('/etc/passwd')
  })

  it('sends credentials to their host only when it asks, and shows them nowhere', async () => {
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
    }).listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const { port } = server.address() as AddressInfo
    const location = `git:http://us%40er:pass%2Fword@127.0.0.1:${port}/shop.git`
    const error = await repository.source.latest(location).catch((reason: unknown) => reason)
    server.closeAllConnections()
    server.close()
    expect(error).toMatchObject({ code: 'ERR_TEMPLATE' })
    expect(JSON.stringify([String(error), error])).not.toMatch(/pass.{1,3}word/)
    expect(seen[0]).toBeUndefined()
    expect(seen.slice(1)).toContain(`Basic ${btoa('us@er:pass/word')}`)
  })
})

describe('parseGitLocation()', () => {
  it.each([
    ['git:https://host/a.git#main', { url: 'https://host/a.git', ref: 'main', path: '', credentials: undefined }],
    ['git:https://host/a.git?path=x/y#v1', { url: 'https://host/a.git', ref: 'v1', path: 'x/y' }],
    ['git:https://host/a.git#v1?path=./x/', { ref: 'v1', path: 'x' }],
    ['git:git@host:a/b.git', { url: 'git@host:a/b.git', ref: 'HEAD' }],
    ['git:ssh://git@host/a.git', { url: 'ssh://git@host/a.git' }],
    ['git:/srv/a', { url: '/srv/a' }],
    ['git:https://u:p@host/a', { url: 'https://host/a', credentials: { user: 'u', password: 'p' } }],
  ])('%s', (location, expected) => {
    expect(parseGitLocation(location)).toMatchObject(expected)
  })

  it.each([
    'git:',
    'git:ext::sh -c touch% /tmp/x',
    'git:--upload-pack=touch x',
    'git:https://host/a#--upload-pack=x',
    'git:https://host/a#+main',
    'git:https://host/a#main:other',
    'git:https://host/a#a..b',
    'git:https://host/a#a b',
    'git:https://host/a?path=../b',
    'git:https://host/a?path=/b',
    'git:https://host/a?path=.git',
    'git:https://host/a?ref=b',
    'git:ssh://-oProxyCommand=x/a',
    'git:-oProxyCommand=x@host:a',
    'git:ssh://u:secret@host/a',
    'git:ftp://host/a',
    'git:relative/folder',
    `git:https://host/a#${'x'.repeat(300)}`,
  ])('refuses %s', (location) => {
    expect(() => parseGitLocation(location)).toThrow(expect.objectContaining({ code: 'ERR_TEMPLATE' }))
    expect(() => parseGitLocation(location)).not.toThrow('u:secret')
  })
})
