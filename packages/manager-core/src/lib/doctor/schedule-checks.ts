import { existsSync, readlinkSync } from 'node:fs'
import type { ManagerContext } from '../context.js'
import { scheduleProblems, type ScheduleProblem } from '../overview/schedule-problems.js'
import type { DoctorCheck, Finding } from './check.js'

export const scheduleChecks: readonly DoctorCheck[] = [
  {
    id: 'schedule-program',
    category: 'system',
    title: 'Programs of scheduled commands exist',
    run: (context) => scheduleFindings(context, 'program'),
  },
  {
    id: 'schedule-startall',
    category: 'system',
    title: 'No instance stays down after a reboot',
    run: (context) => scheduleFindings(context, 'startall'),
  },
  {
    id: 'instance-programs',
    category: 'instances',
    title: 'Programs that run instances exist',
    async run({ registry, runtimes, home }) {
      return [...(await runtimes.processesBelow(home.instances))].flatMap(([id, { processes }]): readonly Finding[] => {
        const name = registry.byId(id)?.name
        const gone = name && processes.map(({ pid }) => goneProgram(pid)).find((program) => program !== undefined)
        if (!gone) return []
        return [
          {
            level: 'error',
            message: `"${name}" runs on ${gone}, which no longer exists, so it cannot be started again after a crash.`,
            help: `Restart it, which uses the current program: manager restart ${name}`,
          },
        ]
      })
    },
  },
]

export async function scheduleFindings(
  context: ManagerContext,
  what: ScheduleProblem['what'],
): Promise<readonly Finding[]> {
  return (await scheduleProblems(context))
    .filter((problem) => problem.what === what)
    .map(({ level, message, help }) => ({ level, message, help }))
}

/** The program of a process, when its file was removed and there is no other one in its place. */
function goneProgram(pid: number): string | undefined {
  try {
    const [, program] = /^(\/.*) \(deleted\)$/.exec(readlinkSync(`/proc/${pid}/exe`)) ?? []
    return program !== undefined && !existsSync(program) ? program : undefined
  } catch {
    // It has ended, or belongs to another user, or the system has no such files.
    return undefined
  }
}
