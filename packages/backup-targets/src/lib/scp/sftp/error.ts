/** Codes of SSH_FXP_STATUS that are told apart; those from 11 on are of later versions, which some servers send. */
export const status = {
  ok: 0,
  endOfFile: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  connectionLost: 7,
  unsupported: 8,
  fileExists: 11,
  noSpace: 14,
  quotaExceeded: 15,
} as const

/** What the server answered instead of what it was asked for. */
export class SftpError extends Error {
  readonly status: number

  constructor(code: number, message: string) {
    super(message || `status ${code}`)
    this.name = 'SftpError'
    this.status = code
  }
}

export function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof SftpError && statuses.includes(error.status)
}

/** What there is; undefined: there is no such file. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isStatus(error, status.noSuchFile)) return undefined
    throw error
  }
}
