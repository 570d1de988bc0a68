import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { ApplicationKind } from '../templates/check-template.js'

export interface RuntimeChoice {
  /** What was asked for; `null`: nothing. */
  readonly wanted: string | null
  /** That of what it is a copy of. */
  readonly like?: string | undefined
  /** Name of its version. */
  readonly version: string
  /** The kind of its application; absent: not known yet. */
  readonly kind?: ApplicationKind
}

/**
 * What runs a new instance: what was asked for; else what runs that of which it is a copy; else APPS_RUNTIME of its
 * version; else that of the manager, or the first one that runs applications of its kind.
 *
 * @throws ManagerError ERR_USAGE, ERR_SETTINGS when there is no such runtime; ERR_STATE when it cannot be used here, or
 *   does not run such applications
 */
export async function chooseRuntime(
  context: Pick<ManagerContext, 'runtimes' | 'settings'>,
  { wanted, like, version, kind }: RuntimeChoice,
): Promise<string> {
  const { runtimes, settings } = context
  const asked = wanted ?? like
  if (asked !== undefined) {
    await checkRuntime(context, asked, kind)
    return asked
  }
  const ofVersion = (await settings.version(version)).runtime
  const general = settings.global.runtime
  checkSetting(context, ofVersion ?? general, ofVersion === undefined ? 'config.sh' : `version-${version}.sh`)
  const fits = (name: string) => kind === undefined || runtimes.kinds(name).includes(kind)
  const name = ofVersion ?? (fits(general) ? general : (runtimes.names.find(fits) ?? general))
  await checkRuntime(context, name, kind)
  return name
}

/**
 * That there is such a runtime, that it can be used here, and that it runs applications of that kind.
 *
 * @throws ManagerError ERR_USAGE, ERR_STATE
 */
export async function checkRuntime(
  context: Pick<ManagerContext, 'runtimes'>,
  name: string,
  kind?: ApplicationKind,
): Promise<void> {
  const { runtimes } = context
  if (!runtimes.names.includes(name))
    throw new ManagerError('ERR_USAGE', `Unknown runtime "${shown(name)}".`, {
      help: Object.values(await whatThereIs(context)).join(' '),
    })
  if (kind !== undefined && !runtimes.kinds(name).includes(kind)) {
    const others = runtimes.names.filter((other) => runtimes.kinds(other).includes(kind))
    throw new ManagerError('ERR_STATE', `The runtime "${name}" cannot run ${described[kind]}.`, {
      help: others.length === 0 ? 'No runtime of this manager can.' : `Use one of: ${others.join(', ')}.`,
    })
  }
  const { ok, message } = await runtimes.probe(name)
  if (!ok)
    throw new ManagerError('ERR_STATE', `The runtime "${name}" cannot be used here: ${message.replace(/\.?$/, '.')}`, {
      help: (await whatThereIs(context)).usable,
      command: 'runtimes',
    })
}

/** @throws ManagerError ERR_SETTINGS */
function checkSetting({ runtimes }: Pick<ManagerContext, 'runtimes'>, name: string, file: string): void {
  if (runtimes.names.includes(name)) return
  throw new ManagerError('ERR_SETTINGS', `APPS_RUNTIME is "${shown(name)}" (${file}), which is not a known runtime.`, {
    help: `Use one of: ${runtimes.names.join(', ')}.`,
    command: 'runtimes',
  })
}

const described: Readonly<Record<ApplicationKind, string>> = {
  node: 'Node applications',
  webapp: 'Java web applications',
}

/** In sentences: what can be used here, and why the others cannot. */
async function whatThereIs({ runtimes }: Pick<ManagerContext, 'runtimes'>) {
  const probes = await Promise.all(runtimes.names.map(async (name) => ({ name, ...(await runtimes.probe(name)) })))
  const usable = probes.filter(({ ok }) => ok).map(({ name }) => name)
  const others = probes.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message.replace(/\.?$/, '.')}`)
  return { usable: `Usable here: ${usable.join(', ') || 'none'}.`, others: others.join(' ') }
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
