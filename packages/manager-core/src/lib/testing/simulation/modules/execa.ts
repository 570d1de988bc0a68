// Stands in for `execa`: the programs of the simulated machine.
import { PassThrough } from 'node:stream'
import { inTurn } from '../machine.js'
import { callOf, runCall } from '../programs.js'

export function execa(program: string, args: readonly string[] = []) {
  const stdout = new PassThrough()
  const done = inTurn(async () => {
    const { code, output, errors: stderr = '' } = await runCall(callOf(program, args))
    if (output !== undefined) stdout.write(`${output}\n`)
    stdout.end()
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    return { failed: code !== 0, timedOut: false, exitCode: code, stdout: '', stderr, shortMessage: stderr }
  })
  return Object.assign(done, { stdout, stderr: new PassThrough(), kill: () => true })
}
