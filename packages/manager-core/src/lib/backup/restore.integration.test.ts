import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import type { TestManager } from '../testing/create-test-manager.js'
import { addCompany, createRealManager } from '../testing/real-manager.js'

for (const type of ['postgresql', 'mysql'] as const)
  needs(type, (url) => {
    let manager: TestManager

    beforeAll(async () => {
      manager = await createRealManager({ type, url })
    })
    afterAll(() => manager?.close())

    const accountOf = async (name: string) =>
      manager.context.databases.account(manager.path(name), await manager.context.settings.instance(manager.path(name)))

    const rowsOf = async (name: string) => {
      const server = manager.context.databases.server(manager.instance(name).database)
      return (await server.statistics(await accountOf(name))).rows
    }

    async function companiesOfDownload(): Promise<unknown[]> {
      const { file } = await manager.perform('download', { name: 'demo', type: 'all' })
      const { content } = file as NonNullable<typeof file>
      const database = join(manager.folder, 'downloaded.db')
      const options = { input: Readable.from(content()), encoding: 'buffer' } as const
      const { stdout } = await execa('tar', ['-xzO', 'demo/data/database.db'], options)
      writeFileSync(database, stdout)
      const opened = new DatabaseSync(database)
      const rows = opened.prepare('select com_name from company').all()
      opened.close()
      return rows.map((row) => row['com_name'])
    }

    test(`an instance on ${type} is put back, undone, copied, and moved to another type of database`, async () => {
      const { perform, context } = manager
      const server = context.databases.server(type)
      await perform('add', { name: 'demo', database: type })
      await addCompany(manager, 'demo', 'Saved company')
      await perform('save', { name: 'demo' })
      const saved = await rowsOf('demo')
      const { manifest } = await context.backups.find('demo', 'latest')
      expect(manifest).toMatchObject({ consistency: 'suspended', database: { type }, warnings: [] })
      expect(manifest.database.rows).toMatchObject({ company: saved['company'] })

      const before = await accountOf('demo')
      await addCompany(manager, 'demo', 'Later company')
      await perform('restore', { name: 'demo' })
      expect((await rowsOf('demo'))['company']).toBe(saved['company'])
      const after = await accountOf('demo')
      expect(after.name).not.toBe(before.name)
      expect(await server.exists(before)).toBe('no')
      // It may write into it.
      await addCompany(manager, 'demo', 'Later company')

      // What cannot start is taken back, and its database goes.
      const definition = manager.path('demo', 'app', 'app.yaml')
      const good = readFileSync(definition)
      writeFileSync(definition, 'broken')
      await perform('save', { name: 'demo' })
      writeFileSync(definition, good)
      await expect(perform('restore', { name: 'demo' })).rejects.toMatchObject({
        code: 'ERR_ROLLED_BACK',
        message: expect.stringContaining('did not start'),
      })
      expect(await accountOf('demo')).toEqual(after)
      expect((await rowsOf('demo'))['company']).toBe((saved['company'] as number) + 1)

      await perform('stop', { name: 'demo' })
      await perform('restore', { name: 'demo', from: manifest.id })
      await perform('save', { name: 'demo' })
      await perform('restore', { name: 'demo', as: 'same' })
      await perform('restore', { name: 'demo', as: 'file', database: 'sqlite' })
      await perform('save', { name: 'file' })
      await perform('restore', { name: 'file', as: 'back', database: type })
      await perform('start', { name: 'back' })
      for (const name of ['demo', 'same', 'file', 'back'])
        expect((await rowsOf(name))['company'], name).toBe(saved['company'])
      // A download needs no server where it is unpacked.
      if (type === 'postgresql') expect(await companiesOfDownload()).toContain('Saved company')

      const accounts = await Promise.all(['demo', 'same', 'back'].map(accountOf))
      for (const name of ['demo', 'same', 'file', 'back']) await perform('delete', { name, purge: true })
      for (const account of accounts) expect(await server.exists(account)).toBe('no')
    }, 240_000)
  })
