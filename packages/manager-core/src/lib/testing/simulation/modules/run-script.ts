// Stands in for `run-script.ts` where hooks are run: one does what its text says, and is an effect.
import { basename } from 'node:path'
import type { ScriptCall, ScriptEnd } from '../../../hooks/run-script.js'
import { act, inTurn } from '../machine.js'
import { readFileSync } from './fs.js'

export function runScript({ file, args }: ScriptCall): Promise<ScriptEnd> {
  return inTurn(() => {
    act(`hook ${basename(file)} ${args.join(' ')}`, () => undefined)
    const [, code = '0'] = /^exit (\d+)$/m.exec(readFileSync(file, 'utf8')) ?? []
    const none = { signal: undefined, error: undefined, ended: undefined }
    return { ...none, code: Number(code), output: Buffer.alloc(0), isCut: false }
  })
}
