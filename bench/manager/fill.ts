import { createManager } from '@steward/manager-core'
import type { Instance } from '@steward/manager-core'
import { applicationServer, defaultTemplate, type BenchHome } from './commands.ts'

/** Puts instances into the registry that have no files. */
export function fill({ folder }: BenchHome, count: number): void {
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
    installedVersion: '',
    heldRevision: '',
    runtime: 'process',
    host: '127.0.0.1',
  }
  registry.transaction((writer) => {
    for (let n = 0; n < count; n++) {
      const id = `i${String(n).padStart(7, '0')}`
      writer.insertInstance({ ...row, id, name: `instance${n}`, port: 20_000 + n, created: now, updated: now })
    }
  })
  manager.close()
}
