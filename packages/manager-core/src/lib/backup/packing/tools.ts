import { withoutPrivileges } from '../../accounts/account.js'

/** Programs that pack, with their versions; undefined: not there, and Node does it. */
export interface PackingTools {
  /** GNU tar only: others sort and name owners differently. */
  readonly tar: string | undefined
  readonly zstd: string | undefined
  readonly age: string | undefined
}

const found = new Map<string, Promise<PackingTools>>()

/** Looked up once for each `PATH`. */
export function packingTools(): Promise<PackingTools> {
  const path = process.env.PATH ?? ''
  let tools = found.get(path)
  if (!tools) found.set(path, (tools = lookUp()))
  return tools
}

/** Root must be able to run them without its privileges. */
async function lookUp(): Promise<PackingTools> {
  const [tar, zstd, age] = await Promise.all([firstLineOf('tar'), firstLineOf('zstd'), firstLineOf('age')])
  return {
    tar: tar && /\(GNU tar\) (\S+)/.exec(tar)?.[1],
    zstd: zstd && /v(\d+[\d.]*)/.exec(zstd)?.[1],
    age: age && /^v?(\d+[\d.]*)/.exec(age)?.[1],
  }
}

async function firstLineOf(program: string): Promise<string | undefined> {
  const { execa } = await import('execa')
  const [command, before] = withoutPrivileges(undefined, program)
  const options = { reject: false, timeout: 10_000, stdin: 'ignore' } as const
  const { stdout, failed } = await execa(command, [...before, '--version'], options)
  return failed ? undefined : stdout.split('\n', 1)[0]
}
