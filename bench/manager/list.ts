import { createManager } from '@steward/manager-core'
import type { Instance } from '@steward/manager-core'
import { applicationServer, defaultTemplate, median, openHome, progress, type BenchHome } from './commands.ts'
import type { Figure, Size } from './figure.ts'

/** The whole command `manager list` with 10,000 instances against one with 10. */
export async function benchList({ rounds }: Size): Promise<readonly Figure[]> {
  const [few, many] = [await openHome(), await openHome()]
  try {
    fill(few, 10)
    fill(many, 10_000)
    const figures: Figure[] = []
    for (const flags of [[], ['--json']]) {
      const times: Record<'few' | 'many', number[]> = { few: [], many: [] }
      for (let round = 0; round < rounds * 2; round++) {
        times.few.push(await few.manager('list', ...flags))
        times.many.push(await many.manager('list', ...flags))
      }
      progress(`list ${flags.join(' ')}: done`)
      const title = `list ${flags.join(' ')} of 10,000 instances (to: of 10)`.replace('  ', ' ')
      figures.push({ title, ours: median(times.many), peer: median(times.few), unit: 'ms', atMost: 1.5 })
    }
    return figures
  } finally {
    await few.close()
    await many.close()
  }
}

function fill({ folder }: BenchHome, count: number): void {
  const manager = createManager({ home: folder, applicationServer, defaultTemplate })
  const { registry } = manager.context
  const [version] = registry.versions()
  const now = new Date().toISOString()
  const row: Omit<Instance, 'id' | 'name' | 'port' | 'created' | 'updated'> = {
    version: version?.version ?? '1.0',
    versionDate: version?.date ?? now,
    revision: version?.revision ?? '',
    desired: 'stopped',
    observed: 'stopped',
    protected: false,
    autoUpdate: true,
    autoSave: false,
    database: 'sqlite',
    customUrl: '',
    source: 'template:1.0',
    ownerEmail: '',
    firstname: '',
    lastname: '',
    phone: '',
    company: '',
    operation: '',
    proved: '',
  }
  registry.transaction((writer) => {
    for (let n = 0; n < count; n++) {
      const id = `i${String(n).padStart(7, '0')}`
      writer.insertInstance({ ...row, id, name: `instance${n}`, port: 20_000 + n, created: now, updated: now })
    }
  })
  manager.close()
}
