import type { ManagerContext } from '../context.js'
import type { DoctorCategory, DoctorCheck, Finding } from './check.js'
import { backupChecks } from './backup-checks.js'
import { certificateChecks } from './certificate-checks.js'
import { databaseChecks } from './database-checks.js'
import { isolationChecks } from './isolation-checks.js'
import { homeChecks } from './home-checks.js'
import { instanceChecks } from './instance-checks.js'
import { documentChecks } from './document-checks.js'
import { withDefaults, withoutDefaults } from '../settings/with-defaults.js'
import { javaChecks } from './java-checks.js'
import { limitChecks } from './limit-checks.js'
import { operationChecks } from './operation-checks.js'
import { proxyChecks } from './proxy-checks.js'
import { qualityChecks } from './quality-checks.js'
import { scheduleChecks } from './schedule-checks.js'
import { systemChecks } from './system-checks.js'
import { templateChecks } from './template-checks.js'

/** One line of the report. */
export interface Diagnosis {
  readonly check: string
  readonly category: DoctorCategory
  readonly level: 'ok' | 'fixed' | 'warning' | 'error'
  readonly message: string
  readonly help?: string
  /** `--fix` would fix it. */
  readonly fixable?: boolean
}

const checks: readonly DoctorCheck[] = [
  ...homeChecks,
  ...systemChecks,
  ...scheduleChecks,
  ...isolationChecks,
  ...proxyChecks,
  ...databaseChecks,
  ...templateChecks,
  ...operationChecks,
  ...instanceChecks,
  ...javaChecks,
  ...documentChecks,
  ...limitChecks,
  ...backupChecks,
  ...certificateChecks,
  ...qualityChecks,
]

export interface ExamineOptions {
  /** Default: all. */
  readonly category?: DoctorCategory | undefined
  /** Fixes what can be fixed. Default false. */
  readonly fix?: boolean
  /** Also what calls other machines. Default false. */
  readonly network?: boolean
}

/** Runs checks. */
export async function examine(
  context: ManagerContext,
  { category, fix = false, network = false }: ExamineOptions = {},
): Promise<readonly Diagnosis[]> {
  const report: Diagnosis[] = []
  for (const check of checks) {
    if ((category !== undefined && check.category !== category) || (check.network && !network)) continue
    const about = { check: check.id, category: check.category }
    const findings = await withDefaults(() => check.run(context)).catch((error: unknown): readonly Finding[] => [
      { level: 'error', message: `${check.title}: could not be checked: ${messageOf(error)}` },
    ])
    if (findings.length === 0) report.push({ ...about, level: 'ok', message: check.title })
    for (const finding of findings) report.push({ ...about, ...(await conclude(finding, fix)) })
  }
  return report
}

async function conclude(
  { level, message, help, fix: repair }: Finding,
  fix: boolean,
): Promise<Pick<Diagnosis, 'level' | 'message' | 'help' | 'fixable'>> {
  const found = { level, message, ...(help !== undefined && { help }), fixable: repair !== undefined }
  if (!fix || !repair) return found
  try {
    return { level: 'fixed', message: `${message} ${await withoutDefaults(repair)}` }
  } catch (error) {
    return { ...found, help: `It could not be repaired: ${messageOf(error)}` }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
