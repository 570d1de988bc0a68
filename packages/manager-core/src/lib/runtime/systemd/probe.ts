import { hasSystemd } from '../../schedule/systemd.js'
import { systemctl } from './systemctl.js'

/** The first one that freezes units. */
const oldest = 246

/** Why instances cannot be units here; undefined: they can. @returns the version of systemd with it */
export async function probe(): Promise<{ readonly ok: boolean; readonly message: string }> {
  if (process.platform !== 'linux' || !hasSystemd())
    return { ok: false, message: 'This machine does not run systemd: there is no /run/systemd/system.' }
  if (process.getuid?.() !== 0)
    return { ok: false, message: 'The manager does not run as root, and only root can create system units.' }
  const version = (await systemctl('show', '--property=Version', '--value')).trim()
  if (Number.parseInt(version, 10) < oldest)
    return { ok: false, message: `Instances need systemd ${oldest} or newer, but this is ${version}.` }
  return { ok: true, message: `Instances run as units of systemd ${version}.` }
}
