import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../scripts/packages.mjs'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly if?: string
  readonly needs?: string | readonly string[]
  readonly uses?: string
  readonly container?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const read = (name: string) => readFileSync(join(root, '.github/workflows', name), 'utf8')
const { jobs, permissions } = parse(read('release.yml')) as Workflow
const ci = parse(read('ci.yml')) as Workflow

/** All jobs that have to succeed before this one starts. */
function jobsBefore(name: string): string[] {
  return [jobs[name]?.needs ?? []].flat().flatMap((needed) => [needed, ...jobsBefore(needed)])
}

describe('the release workflow', () => {
  it('changes or publishes something only after all of CI succeeded on the same commit', () => {
    expect(jobs['ci']?.uses).toBe('./.github/workflows/ci.yml')
    expect(Object.keys(ci.on)).toContain('workflow_call')
    const others = Object.keys(jobs).filter((name) => name !== 'ci')
    expect(others.length).toBeGreaterThan(2)
    expect(others.filter((name) => !jobsBefore(name).includes('ci'))).toEqual([])
  })

  it('gives the right to publish to one job, which runs no code of a build or of an installation', () => {
    expect(permissions).toEqual({})
    const trusted = Object.entries(jobs).filter(([, job]) => job.permissions?.['id-token'] === 'write')
    expect(trusted.map(([name]) => name)).toEqual(['publish'])
    const steps = jobs['publish']?.steps ?? []
    expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['npm ci --ignore-scripts'])
    expect(steps.at(-1)?.env).toEqual({ NPM_CONFIG_PROVENANCE: 'true' })
    expect(read('release.yml')).not.toMatch(/secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN/)
  })

  it('publishes the tarballs that were packed from the plan, with no cache in between', () => {
    const stepOf = (job: string, action: string) =>
      jobs[job]?.steps?.find(({ uses }) => uses?.startsWith(`changesets/action/${action}@`))
    expect(stepOf('mode', 'select-mode')).toBeDefined()
    expect(stepOf('pack', 'pack')?.with).toEqual({
      'publish-plan-artifact-id': '${{ needs.mode.outputs.publish-plan-artifact-id }}',
    })
    expect(stepOf('publish', 'publish')?.with).toEqual({
      'pack-dir-artifact-id': '${{ needs.pack.outputs.pack-dir-artifact-id }}',
    })
    const setups = Object.values(jobs).flatMap(({ steps = [] }) =>
      steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@')),
    )
    expect(setups.filter((step) => step.with?.['package-manager-cache'] !== false || 'cache' in step.with)).toEqual([])
  })

  it('runs scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
    const called = [...(read('release.yml') + read('ci.yml')).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name)
    expect(called).toContain('version-packages')
    expect(called.filter((name) => !(String(name) in scripts))).toEqual([])
  })
})

it('actions are pinned to a commit in all workflows', () => {
  const used = globSync('*.yml', { cwd: join(root, '.github/workflows') }).flatMap((name) =>
    [...read(name).matchAll(/uses: (?!\.\/)(\S+)/g)].map(([, action]) => action),
  )
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((action) => !/@[\da-f]{40}$/.test(String(action)))).toEqual([])
})

it('an action of GitHub has the same version in all workflows', () => {
  const used = globSync('*.yml', { cwd: join(root, '.github/workflows') }).flatMap((name) =>
    [...read(name).matchAll(/uses: (actions\/\S+)/g)].map(([, action]) => String(action)),
  )
  const versions = new Set(used)
  const names = [...versions].map((action) => action.split('@')[0])
  expect(names).toContain('actions/checkout')
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

it('the site is built and published only from the repository itself, not from a fork', () => {
  const { jobs: site } = parse(read('site.yml')) as Workflow
  expect(site['build']?.if).toBe('github.event.repository.fork == false')
  expect(site['deploy']?.needs).toBe('build')
})

it('CI tests on the oldest Node that the packages promise', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'packages/rest-core/package.json'), 'utf8')) as {
    engines: { node: string }
  }
  const containers = Object.values(ci.jobs).flatMap(({ container }) => container ?? [])
  expect(containers).toContain(`node:${engines.node.replace('>=', '')}-bookworm`)
})
