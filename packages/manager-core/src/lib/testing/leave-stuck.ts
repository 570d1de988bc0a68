import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createJournal } from '../store/journal.js'
import type { TestManager } from './create-test-manager.js'

/**
 * Leaves what a restore leaves that could be neither ended nor undone: in its work folder what it replaced (a letter
 * `Dear Ada`) and what it brought, and beside it the stage of a reset that never went live.
 *
 * @returns ids of the operations
 */
export function leaveStuck({ context, instance, path, home }: TestManager, name: string): readonly [string, string] {
  const { id } = instance(name)
  const journal = createJournal(context.registry, { clock: context.clock })
  const leave = (operation: string, kind: string, request: { readonly parts?: 'all' }) => {
    journal.begin({
      id: operation,
      kind,
      instanceId: id,
      instance: name,
      title: `${kind} of ${name}`,
      actor: 'test',
      surface: 'cli',
      address: '',
      request,
      facts: {},
      locks: [`instance:${id}`],
    })
    journal.setState(operation, 'running')
    journal.setState(operation, 'attention', 'The disk failed.')
  }
  const [restore, reset] = ['stuck-restore', 'stuck-reset']
  leave(restore, 'restore', { parts: 'all' })
  leave(reset, 'reset', {})
  const work = join(home, 'instances', `.${restore}.restore`)
  const stage = join(home, 'instances', `.${reset}`)
  for (const part of ['app', 'data']) {
    cpSync(path(name, part), join(work, 'old', part), { recursive: true })
    cpSync(path(name, part), join(stage, part), { recursive: true })
  }
  mkdirSync(join(work, 'data'))
  writeFileSync(join(work, 'old', 'data', 'letter.txt'), 'Dear Ada')
  cpSync(path(name, 'settings.sh'), join(stage, 'settings.sh'))
  return [restore, reset]
}
