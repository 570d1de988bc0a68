import type { TargetError } from '@steward/backup-targets'
import { ManagerError } from '../../errors.js'
import { variableOfOption } from '../domain/target-names.js'
import { sentence } from '../system/failure.js'

/** What a target says as the manager's error, with the target's name; others stay as they are. */
export function targetFailure(name: string, error: unknown): unknown {
  if (!isTargetError(error)) return error
  const { code, message, help } = error
  const [kind, command] =
    code === 'ERR_TARGET_SETTINGS'
      ? (['ERR_SETTINGS', 'config --all remote'] as const)
      : (['ERR_TARGET', `target test ${name}`] as const)
  // The package knows options, and who reads this sets variables.
  const named = (text: string) =>
    text.replace(/\b(?:the )?option "(\w+)"/g, (_, option: string) => variableOfOption(name, option))
  return new ManagerError(kind, `Target "${name}": ${sentence(named(message))}`, {
    cause: error,
    command,
    ...(help !== undefined && { help: named(help) }),
  })
}

/** That of `TargetError.is`, which is not called here because most commands need nothing else of its package. */
const brand = Symbol.for('@steward/backup-targets/TargetError')

export function isTargetError(error: unknown, code?: TargetError['code']): error is TargetError {
  const isBranded = typeof error === 'object' && error !== null && brand in error
  return isBranded && (code === undefined || (error as unknown as TargetError).code === code)
}
