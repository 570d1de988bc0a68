import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { createClient } from './index.js'
import type { AnyRecord, Client, Credentials } from './index.js'
import { writeTypes, type KnownObject } from './lib/write-types.js'

const help = `rest-client: TypeScript types of the objects of a service

Usage: rest-client types --url <base address> [options]

Options:
  --url <address>    base address of the service, e.g. http://localhost:8080/api/rest
  --login <name>     user; the password comes from the environment variable STEWARD_PASSWORD
                     (a token from STEWARD_TOKEN works in place of both)
  --objects <names>  only these objects, separated by commas; default: all that the user may read
  --output <file>    default: standard output
  --version          version of this program
  --help             this text

Example:
  STEWARD_PASSWORD=… rest-client types --url http://localhost:8080/api/rest --login admin --output src/records.ts
`

/** Runs the command line; returns the exit code: 0 ok, 1 failed, 2 usage. Not specified; chosen as for the manager. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: { type: 'string' },
        login: { type: 'string' },
        objects: { type: 'string' },
        output: { type: 'string' },
        version: { type: 'boolean', short: 'V' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) return print(help)
    if (values.version) return print(`${version()}\n`)
    const [command, ...others] = positionals
    if (command !== 'types' || others.length > 0 || !values.url) return misuse('Give the command "types" and --url.')
    const credentials = readCredentials(values.login)
    const client = createClient({ url: values.url, ...(credentials && { credentials }) })
    const names = values.objects?.split(',') ?? (await objectNames(client))
    const known: KnownObject[] = []
    for (const name of names) {
      const { metadata } = client.object(name.trim())
      known.push({ object: await metadata(), create: await metadata('create'), update: await metadata('update') })
    }
    const text = writeTypes(known)
    if (values.output === undefined) return print(text)
    await writeFile(values.output, text)
    process.stderr.write(`${values.output}: ${known.length} objects\n`)
    return 0
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) return misuse(error.message)
    process.stderr.write(`rest-client: ${(error as Error).message}\n`)
    return 1
  }
}

function version(): string {
  const manifest = createRequire(import.meta.url)('@steward/rest-client/package.json') as { version: string }
  return manifest.version
}

/** The objects that the service documents for this user. */
async function objectNames(client: Client<Record<string, AnyRecord>>): Promise<string[]> {
  const { paths } = (await (await client.documentation({ output: 'openapi' })).json()) as { paths: object }
  const names = Object.keys(paths).map((path) => path.split('/')[1] ?? '')
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('_'))
}

/** From the environment, so that no secret stands in the command line. */
function readCredentials(login: string | undefined): Credentials | undefined {
  const { STEWARD_TOKEN: token, STEWARD_PASSWORD: password = '' } = process.env
  return token ? { token } : login === undefined ? undefined : { login, password }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function misuse(text: string): number {
  process.stderr.write(`rest-client: ${text} See rest-client --help.\n`)
  return 2
}
