import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, moveTo } from '../accounts/places.js'
import { wrongOwnerOf } from '../accounts/give.js'
import { foreignKind } from '../accounts/foreign.js'
import { healthPlace } from '../application/health-place.js'
import type { ManagerContext } from '../context.js'
import { fullGrant } from '../domain/grant.js'
import { isRunning, type Instance } from '../domain/instance.js'
import { isWebapp } from '../files/webapp.js'
import { lostData } from '../instances/data-there.js'
import { sleepAfterMs } from '../instances/sleep-after.js'
import { startKind } from '../instances/start-and-stop.js'
import { checkHealth } from '../runtime/health.js'
import { refOf } from '../runtime/instance-ref.js'
import { describeHolder, portsOf } from '../system/port-holder.js'
import { missingServer, serverVersion } from '../servers/application-server.js'
import { openOperations } from '../store/operation-rows.js'
import { rewriteSettings } from '../instances/rewrite-settings.js'
import { reaches } from '../runtime/reach.js'
import { isPortFree } from '../system/port.js'
import type { DoctorCheck, Finding } from './check.js'
import { leftOperations } from './operation-checks.js'

export const instanceChecks: readonly DoctorCheck[] = [
  {
    id: 'instance-folders',
    category: 'instances',
    title: 'Each instance has its folder, each folder its instance',
    async run(context) {
      const { registry, home, clock } = context
      const findings: Finding[] = []
      const known = new Set<string>()
      for (const instance of registry.instances()) {
        const { id, name } = instance
        const { folder, settings } = home.instance(id)
        known.add(id)
        if (!existsSync(settings))
          findings.push({
            level: 'error',
            message: `"${name}" has no settings file in ${folder}.`,
            ...(existsSync(folder) && {
              help: 'Put it back from a backup, or have it written again with new secrets: manager doctor instances --fix',
              async fix() {
                await rewriteSettings(context, instance, folder)
                return (
                  'It was written again, with new secrets. Variables and limits of its own are those of a new instance. ' +
                  `Restart it: manager restart ${name}. If its administrator cannot log in: app-server --reset-admin.`
                )
              },
            }),
          })
      }
      const operations = openOperations(registry)
      for (const entry of await readdir(home.instances).catch(() => [])) {
        if (known.has(entry) || [...operations].some((id) => entry.includes(id))) continue
        findings.push({
          level: 'warning',
          message: `instances/${entry} does not belong to any instance.`,
          async fix() {
            const target = join(home.trash, `stray-${entry.replace(/^\./, '')}-${clock().getTime()}`)
            await makeFolder(home.trash)
            await moveTo(join(home.instances, entry), target)
            return `It was moved to ${target}.`
          },
        })
      }
      return findings
    },
  },
  {
    id: 'application-servers',
    category: 'instances',
    title: 'Each instance has the application server it was tested with',
    async run({ registry, home }) {
      return registry.instances().flatMap(({ id, name }) => {
        const missing = missingServer({ home }, home.instance(id).app)
        if (missing === undefined) return []
        return {
          level: 'error' as const,
          message:
            `"${name}" was tested with the application server ${serverVersion(missing)}, but ` +
            `${join(home.servers, missing)} is missing. It runs on the manager's application server.`,
          help: `Restore that folder, or test "${name}" with the current one: manager upgrade ${name} --force`,
        }
      })
    },
  },
  {
    id: 'instance-contents',
    category: 'instances',
    title: 'Instances have their application and their data',
    async run(context) {
      const findings: Finding[] = []
      for (const { id, name, operation } of context.registry.instances()) {
        const { app, settings } = context.home.instance(id)
        // What belongs to another user is not gone, and is reported by a check of its own.
        if (operation !== '' || !existsSync(settings) || wrongOwnerOf(context.home.instance(id))) continue
        if (foreignKind(join(app, 'app.yaml')) === undefined && !isWebapp(app))
          findings.push({
            level: 'error',
            message: `"${name}" has no app/app.yaml: its application is missing.`,
            help: `Restore it from a backup: manager restore ${name} --only app`,
          })
        const lost = await lostData(context, { id })
        if (lost !== undefined)
          findings.push({
            level: 'error',
            message: `"${name}" cannot be started: ${lost}.`,
            help: `Restore it from a backup: manager restore ${name}. To start without data: manager start ${name} --empty`,
          })
      }
      return findings
    },
  },
  {
    id: 'instance-blocked',
    category: 'instances',
    title: 'No instance is blocked by an operation',
    async run(context) {
      // The record of the instance may have been changed since, by a stop for example.
      const left = Map.groupBy(leftOperations(context), ({ instanceId }) => instanceId)
      return context.registry.instances().flatMap(({ id, name }) =>
        (left.get(id) ?? []).map((entry): Finding => ({
          level: 'error',
          message: `"${name}" is blocked by an operation that needs attention: ${entry.title}.`,
          help: `To try again: manager doctor operations --fix. To leave things as they are: manager giveup ${entry.id}`,
        })),
      )
    },
  },
  {
    id: 'instance-ports',
    category: 'instances',
    title: 'Ports of instances are not used by other programs',
    async run(context) {
      const findings: Finding[] = []
      const instances = context.registry.instances()
      const reach = reaches(context, instances)
      for (const instance of instances) {
        const { id, name, port, desired, operation } = instance
        const found = reach.get(id)
        if (found?.listens === 'foreign') {
          findings.push({
            level: 'error',
            message: `The port ${port} of "${name}" is used by a program of user ${found.uid}${describeHolder(port)}.`,
            help: 'Its answers are not believed, and the reverse proxy passes nothing on. End that program, then start the instance.',
          })
          continue
        }
        const { state } = await context.runtimes.observe(refOf(context, instance))
        if (operation !== '' || isRunning(state) || state === 'unknown' || (await isPortFree(port))) continue
        findings.push({
          level: desired === 'started' ? 'error' : 'warning',
          message: `The port ${port} of "${name}" is used by another program${describeHolder(port)}.`,
          help: 'End that program, then start the instance.',
        })
      }
      return findings
    },
  },
  {
    id: 'left-processes',
    category: 'instances',
    title: 'No processes of deleted instances are left',
    async run({ registry, runtimes, home }) {
      return [...(await runtimes.processesBelow(home.instances))]
        .filter(([id]) => registry.byId(id) === undefined)
        .map(([id, { runtime, processes }]) => {
          const pids = processes.map(({ pid }) => pid)
          const ports = portsOf(pids)
          return {
            level: 'error',
            message:
              `Processes ${pids.join(', ')} do not belong to any instance (${id})` +
              (ports.length > 0 ? ` and listen on port ${ports.join(', ')}.` : '.'),
            help: 'Its folder or registry entry was lost while it was running.',
            async fix() {
              await runtime.stop({ id, folder: home.instance(id).folder }, { graceMs: 5000 })
              return 'They were ended.'
            },
          }
        })
    },
  },
  {
    id: 'instance-state',
    category: 'instances',
    title: 'Instances are in the state they should be in',
    async run(context) {
      const findings: Finding[] = []
      const down: { readonly name: string; readonly state: string }[] = []
      for (const instance of context.registry.instances()) {
        const { name, desired, operation } = instance
        if (operation !== '') continue
        const ref = refOf(context, instance)
        const { state, missing } = await context.runtimes.observe(ref)
        const runs = ['started', 'starting', 'degraded'].includes(state)
        if (state === 'unknown') findings.push(await withoutRuntime(context, instance))
        else if (state === 'suspended')
          findings.push({
            level: 'error',
            message: `"${name}" is suspended, but no backup is running.`,
            async fix() {
              await context.runtimes.of(instance).resume?.(ref)
              return 'It was resumed.'
            },
          })
        else if (instance.observed === 'asleep' && desired === 'started' && !runs)
          findings.push(...(await unwakeable(context, instance)))
        else if (desired === 'started' && state === 'stopped' && missing !== undefined)
          findings.push(vanished(context, instance, missing))
        else if (desired === 'started' && !runs) down.push({ name, state })
        else if (desired === 'stopped' && runs)
          findings.push({
            level: 'warning',
            message: `"${name}" is running, but is recorded as stopped.`,
            help: `Correct the record with manager setstatus ${name} started, or stop it with manager stop ${name}.`,
          })
        else if (runs) {
          if (state === 'degraded') findings.push(unsupervised(name))
          findings.push(...(await unhealthy(context, instance)))
        }
      }
      return [
        ...down.map(({ name, state }): Finding => {
          // After a reboot it is all of them.
          const start =
            down.length === 1 ? `To start it: manager start ${name}` : 'To start all of these: manager startall'
          return {
            level: 'error',
            message: `"${name}" should be running, but is ${state}.`,
            help: `See its log: manager logs ${name}. ${start}`,
          }
        }),
        ...findings,
      ]
    },
  },
]

async function unwakeable(context: ManagerContext, instance: Instance): Promise<readonly Finding[]> {
  const { name } = instance
  const isMeant = (await sleepAfterMs(context, instance)) > 0
  const free = context.locks.tryAcquire(['sleeping'], 'doctor')
  free?.release()
  if (isMeant && !free) return []
  return [
    {
      level: 'error',
      message:
        `"${name}" is asleep, and no request will wake it: ` +
        `${isMeant ? 'the server of the manager is not running' : 'it should no longer sleep, and the server of the manager is not running'}.`,
      help: `Start the server (manager serve), or the instance (manager start ${name}).`,
    },
  ]
}

/** Its runtime cannot be asked. */
async function withoutRuntime({ runtimes }: ManagerContext, { name, runtime }: Instance): Promise<Finding> {
  const { message } = await runtimes.probe(runtime)
  return {
    level: 'error',
    message: `The state of "${name}" is unknown: its runtime "${runtime}" does not work here. ${message}`,
    help: runtimes.names.includes(runtime)
      ? 'Repair that runtime. Until then, the instance cannot be started, stopped, moved or deleted.'
      : `Install the package "${runtime}" again, and add it to APPS_RUNTIMES (config.sh). Until then, the instance ` +
        'cannot be started, stopped, moved or deleted.',
  }
}

/** It was not stopped: what runs it was removed without the manager. */
function vanished(context: ManagerContext, { id, name }: Instance, missing: string): Finding {
  return {
    level: 'error',
    message: `"${name}" should be running, but its ${missing} no longer exists.`,
    help: `Create it again and start the instance: manager start ${name}. The data is not affected.`,
    async fix() {
      await context.operations.run(startKind, { id, name }, { actor: 'doctor', surface: 'cli', grant: fullGrant })
      return 'It was created again and started.'
    },
  }
}

function unsupervised(name: string): Finding {
  return {
    level: 'warning',
    message: `"${name}" is running without its supervisor, so it will not be restarted after a crash.`,
    help: `Restart it: manager restart ${name}`,
  }
}

async function unhealthy(context: ManagerContext, instance: Instance): Promise<readonly Finding[]> {
  const { name } = instance
  const { ok, reason } = await checkHealth(healthPlace(context, instance))
  return ok ? [] : [{ level: 'error', message: `"${name}" is not healthy: ${reason}.`, help: `manager logs ${name}` }]
}
