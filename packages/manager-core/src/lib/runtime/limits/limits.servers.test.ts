import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  inUserModeLinux,
  provideUserModeLinux,
  unfitForUserModeLinux,
} from '../../../../../../tests/servers/user-mode-linux.js'
import { bundledManager } from '../../testing/bundled-manager.js'
import type { HarmReport, HarmRun, Harms } from '../../testing/do-harm.js'
import { runBuilt } from '../../testing/run-program.js'
import { cgroupBase, type CgroupBase } from './cgroups.js'

const patience = 1_200_000

const hostile = 'packages/manager-core/src/lib/testing/hostile-application-server.mjs'
const checkout = fileURLToPath(new URL('../../../../../..', import.meta.url))
const harmOf = ({ results }: HarmReport, harm: string) => results.find((one) => one.harm === harm)!

/** On this machine. */
async function here(harms: Harms): Promise<HarmReport> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-harm-'))
  try {
    const output = join(folder, 'report')
    const run: HarmRun = { ...harms, applicationServer: join(checkout, hostile), output }
    const { harm } = await bundledManager()
    await runBuilt(harm, run, { TMPDIR: process.env['TMPDIR'] })
    return JSON.parse(readFileSync(output, 'utf8')) as HarmReport
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** In a Linux of its own, which has cgroup v2. @param before lines of a shell, and what the program is started by */
async function inLinux(harms: Harms, { before = [], by = '' }: { before?: readonly string[]; by?: string } = {}) {
  const { harm } = await bundledManager()
  // The temporary folder of the tests may be in /dev, of which it has its own.
  const folder = mkdtempSync('/var/tmp/steward-harm-')
  try {
    chmodSync(folder, 0o755)
    cpSync(dirname(dirname(harm)), folder, { recursive: true, verbatimSymlinks: true })
    const printed = await inUserModeLinux((own) => {
      const report = `${own}/report`
      const run: HarmRun = { ...harms, applicationServer: `${own}/checkout/${hostile}`, output: report }
      return [
        ...before,
        `${by} node ${join(folder, 'dist/do-harm.js')} '${JSON.stringify(run)}' 2>${report}.errors`,
        `cat ${report} || cat ${report}.errors`,
      ]
    })
    return JSON.parse(printed) as HarmReport
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const hasCgroups = (base: CgroupBase) => 'limits' in base && base.limits.size === 3

function expectOthersServed({ results }: HarmReport): void {
  for (const { harm, answers, other } of results)
    expect({ harm, answers, other }).toEqual({ harm, answers: 5, other: 'good is started' })
}

describe('limits by rlimits', () => {
  it(
    'end a process that takes more memory or files; the others are served, and it starts again',
    async () => {
      const report = await here({
        harms: ['heap', 'reserve', 'files'],
        config: ['APPS_CGROUPS=no', 'APPS_LIMIT_MEMORY=96', 'APPS_LIMIT_FILES=256'],
      })
      expectOthersServed(report)
      expect(report.howLimited).toContain('APPS_CGROUPS is no')
      const heap = harmOf(report, 'heap')
      expect(heap).toMatchObject({ came: 'ended', reason: 'ran out of its memory limit of 96 MB for the heap' })
      expect(heap.status).toMatchObject({
        limit_memory: '96 MB (rlimit of each process), heap of Node 96 MB',
        limit_cpu: 'none',
        limit_processes: '1024 (not enforced here)',
        limit_files: '256 (rlimit of each process)',
        last_exit: expect.stringMatching(
          /^SIG(ABRT|TRAP) at .*Z: it ran out of its memory limit of 96 MB for the heap$/,
        ),
      })
      expect(harmOf(report, 'reserve').reason).toBe('ran out of its memory limit of 96 MB')
      expect(harmOf(report, 'files').reason).toBe('reached its limit of 256 open files')
    },
    patience,
  )
})

describe('limits by cgroups', () => {
  let why: string | undefined
  beforeAll(async () => {
    why = unfitForUserModeLinux()
    if (why !== undefined) return
    why = await provideUserModeLinux()
    if (why !== undefined && process.env['CI']) throw new Error(why)
  }, patience)

  it(
    'apply to all processes of an instance together, and are gone with them',
    async ({ skip }) => {
      const isHere = hasCgroups(cgroupBase())
      if (!isHere && why !== undefined) return skip(why)
      const report = await (isHere ? here : inLinux)({
        harms: ['children', 'buffers', 'leave', 'cpu'],
        config: ['APPS_LIMIT_MEMORY=160', 'APPS_LIMIT_PROCESSES=40', 'APPS_LIMIT_CPU=90'],
      })
      expectOthersServed(report)
      const reached = (harm: string, name: string) => harmOf(report, harm).limits.find((one) => one.name === name)
      const buffers = harmOf(report, 'buffers')
      expect(buffers).toMatchObject({ came: 'ended', reason: 'ran out of its memory limit of 160 MB' })
      expect(buffers.told).toContain(
        'The application ran out of its memory limit of 160 MB; it is started again in 1 s.',
      )
      expect(reached('buffers', 'memory')).toEqual({ name: 'memory', value: 160, by: 'cgroup', reached: 2 })
      // The child was ended, not the application.
      expect(harmOf(report, 'children')).toMatchObject({ came: 'children', told: '' })
      expect(reached('children', 'memory')?.reached).toBe(1)
      expect(harmOf(report, 'leave')).toMatchObject({
        came: 'ended',
        reason: 'reached its limit of 40 processes and threads',
      })
      expect(reached('leave', 'processes')).toMatchObject({ value: 40, by: 'cgroup' })
      expect(reached('leave', 'processes')?.reached).toBeGreaterThan(0)
      expect(reached('cpu', 'cpu')).toMatchObject({ value: 90, by: 'cgroup' })
      expect(report.cgroup).toMatch(/\/steward\/[0-9a-f]{24}$/)
      expect(report.isLeft).toBe(false)
      return undefined
    },
    patience,
  )

  // Another Linux, which takes as long as ten usual files of tests.
  it.runIf(process.env['TEST_DEEP'] === '1')(
    'are made in what was delegated to another user than root',
    async ({ skip }) => {
      if (why !== undefined) return skip(why)
      const unit = '/sys/fs/cgroup/unit'
      const report = await inLinux(
        { harms: ['buffers'], config: ['APPS_LIMIT_MEMORY=160'] },
        {
          before: [
            `mkdir ${unit}`,
            'for name in memory pids cpu; do echo +$name >/sys/fs/cgroup/cgroup.subtree_control; done',
            `chown 65534 ${unit} ${unit}/cgroup.procs ${unit}/cgroup.subtree_control`,
            `echo $$ >${unit}/cgroup.procs`,
          ],
          // The checkout may be where only root can read.
          by: 'setpriv --reuid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search',
        },
      )
      expectOthersServed(report)
      expect(report.cgroup).toMatch(/^\/sys\/fs\/cgroup\/unit\/steward\/[0-9a-f]{24}$/)
      expect(report.isLeft).toBe(false)
      expect(harmOf(report, 'buffers').reason).toBe('ran out of its memory limit of 160 MB')
      return undefined
    },
    patience,
  )
})
