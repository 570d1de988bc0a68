import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defineObject } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveObjects, type ServedObjects } from './serve-objects.js'

const execute = promisify(execFile)
const deep = Boolean(process.env['TEST_DEEP']) && process.platform === 'linux'

const Area = defineObject({
  name: 'Area',
  fields: { are_code: { type: 'string', key: true }, are_name: { type: 'string' } },
})

/** What generators met with trouble once, and one field of each form. */
const Order = defineObject({
  name: 'Order',
  indexable: ['ord_number', 'ord_note'],
  fields: {
    ord_number: { type: 'string', key: true },
    ord_area: { type: 'reference', object: 'Area', display: ['are_code', 'are_name'] },
    ord_state: { type: 'enum', values: ['draft', 'placed', 'sent'] },
    ord_day: { type: 'date' },
    ord_local: { type: 'datetime', zone: 'none' },
    ord_total: { type: 'decimal', precision: 20, scale: 2 },
    ord_big: { type: 'integer', precision: 18 },
    ord_tags: { type: 'multi-enum', values: ['a', 'b'] },
    ord_note: { type: 'text' },
    ord_data: { type: 'object' },
    ord_paid: { type: 'boolean' },
  },
  actions: {
    place: {
      parameters: { when: { type: 'date', required: true }, how: { type: 'enum', values: ['fast', 'slow'] } },
      run: ({ record, parameters }) => ({ number: record?.['ord_number'], ...parameters }),
    },
    tidy: {
      scope: 'global',
      async run({ records }) {
        let count = 0
        for await (const batch of await records()) count += batch.length
        return count
      },
    },
    sync: { scope: 'both', run: () => 's' },
    'sync-all': { run: () => 'sa' },
  },
  publications: {
    list: { format: 'html', scope: 'global', template: '<p>{{#each records}}{{ord_number}} {{/each}}</p>' },
    sheet: { format: 'txt', template: '{{ord_number}}' },
  },
  crosstabs: {
    states: {
      lines: ['ord_state'],
      columns: [{ field: 'ord_day', by: 'year' }],
      values: [{ function: 'count' }, { function: 'sum', field: 'ord_total', name: 'total' }],
    },
    areas: { lines: ['ord_area__are_code'] },
  },
})

const Price = defineObject({
  name: 'Price',
  fields: {
    pri_area: { type: 'string', key: true },
    pri_year: { type: 'integer', key: true },
    pri_value: { type: 'decimal' },
  },
})

const Line = defineObject({
  name: 'Line',
  timestamps: false,
  fields: {
    row_id: { type: 'id', fields: ['lin_a', 'lin_b'] },
    lin_a: { type: 'string' },
    lin_b: { type: 'integer' },
    lin_text: { type: 'string' },
  },
})

/** Their newest versions of these major ones. */
const tools = [
  '@hey-api/openapi-ts@0.99',
  'orval@8',
  'openapi-typescript@7',
  'openapi-fetch@0',
  '@redocly/cli@2',
  'typescript@5',
  '@types/node@24',
  'esbuild@0',
]

/** What is written below `generated-clients/` calls what the tools generated; it prints what was not answered as it should be. */
describe.runIf(deep)('clients that are generated from the documents', () => {
  let folder: string
  let served: ServedObjects
  let base: string

  const run = (program: string, ...given: string[]) =>
    execute(join(folder, 'node_modules', '.bin', program), given, { cwd: folder, env: { ...process.env, BASE: base } })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-clients-'))
    const objects = [Area, Order, Price, Line, ...systemObjects]
    served = await serveObjects(objects, { url: 'sqlite::memory:' })
    base = served.base
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    await execute('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tools], { cwd: folder })
    for (const [output, file] of [
      ['openapi', 'openapi.json'],
      ['swagger-2.0', 'swagger.json'],
    ] as const)
      writeFileSync(join(folder, file), (await served.call('GET', `/_doc?_output=${output}`)).text)
    const orval = {
      shop: { input: './openapi.json', output: { target: './orval/shop.ts', client: 'fetch', baseUrl: base } },
    }
    writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(orval)}`)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'esnext',
          moduleResolution: 'bundler',
          target: 'es2022',
          lib: ['es2023', 'dom', 'dom.iterable'],
          types: ['node'],
          noEmit: true,
        },
        include: ['**/*.ts'],
      }),
    )
    for (const name of ['hey-api', 'orval', 'openapi-fetch'])
      copyFileSync(join(import.meta.dirname, 'generated-clients', `${name}.ts.txt`), join(folder, `${name}.ts`))
    await run('openapi-ts', '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch')
    await run('orval', '--config', 'orval.config.mjs')
    await run('openapi-typescript', 'openapi.json', '-o', 'types.ts')
  }, 600_000)

  afterAll(async () => {
    await served?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it.each(['openapi.json', 'swagger.json'])('%s has no error for a linter', async (file) => {
    await run('redocly', 'lint', file)
  })

  it('compile, and so does what calls them', async () => {
    await run('tsc', '-p', '.')
  })

  it.each(['hey-api', 'orval', 'openapi-fetch'])('%s calls everything', async (name) => {
    await run(
      'esbuild',
      `${name}.ts`,
      '--bundle',
      '--platform=node',
      '--format=esm',
      `--outfile=${name}.mjs`,
      '--log-level=error',
    )
    const { stdout } = await execute(process.execPath, [`${name}.mjs`], {
      cwd: folder,
      env: { ...process.env, BASE: base },
    })
    expect(stdout).toBe('')
  })
})
