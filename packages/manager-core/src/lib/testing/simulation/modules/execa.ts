// Stands in for `execa`: only the program that serves applications is there.
import { PassThrough } from 'node:stream'
import { inTurn } from '../machine.js'
import { answerOf } from '../applications.js'

export function execa(program: string, args: readonly string[] = []) {
  const answer = answerOf(args)
  const stdout = new PassThrough()
  const done = inTurn(async () => {
    if (answer !== undefined) stdout.write(`${answer}\n`)
    stdout.end()
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    const failed = answer === undefined
    return { failed, timedOut: false, exitCode: failed ? 127 : 0, stdout: '', stderr: failed ? `${program}: none` : '' }
  })
  return Object.assign(done, { stdout, stderr: new PassThrough(), kill: () => true })
}
