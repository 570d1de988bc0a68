import { isAbsolute, join, relative } from 'node:path'
import { foreignKind } from '../../accounts/foreign.js'
import { runTool } from '../run-tool.js'
import { commandOfPackage } from '../resolve-package.js'
import type { Checked, LocalCall } from './check.js'

/** Type errors of an application that has a tsconfig.json. */
export async function checkTypes({ application, ...call }: LocalCall): Promise<Checked> {
  const { folder, account, data } = application
  if (foreignKind(join(folder, 'tsconfig.json')) === undefined)
    return {
      issues: [],
      notes: ['Types are not checked: the application has no tsconfig.json (app-server --types makes one).'],
    }
  const tsc = commandOfPackage('typescript', 'tsc', folder)
  if (tsc === undefined)
    return { issues: [], notes: ['Types are not checked: neither the application nor the manager has typescript.'] }
  const args = [tsc, '-p', folder, '--noEmit', '--pretty', 'false']
  const { stdout } = await runTool(process.execPath, args, { ...call, folder, account, home: data })
  return { issues: typeErrorsIn(stdout, folder), notes: [] }
}

/** `objects/a.ts(3,5): error TS2322: Type …`, with the lines that continue it; errors of the configuration have no place. */
function typeErrorsIn(output: string, folder: string): Checked['issues'] {
  const errors = output.matchAll(/^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+): (.*(?:\n .*)*)/gm)
  return [...errors].map(([, file, line, column, rule = '', message = '']) => ({
    rule,
    severity: 'error',
    message,
    ...(file !== undefined && {
      file: isAbsolute(file) ? relative(folder, file) : file,
      line: Number(line),
      column: Number(column),
    }),
  }))
}
