import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sshArguments, type SshSettings } from './settings.js'

/** With processors of today it is much faster than the first choice of OpenSSH, and as good. */
const fastCipher = 'aes128-gcm@openssh.com'

/** The settings with a fast cipher first; ciphers chosen in `ssh_config` are kept. */
export async function withFastCiphers(settings: SshSettings): Promise<SshSettings> {
  const [chosen, usual] = await Promise.all([ciphersOf(settings, []), ciphersOf(settings, ['-F', 'none'])])
  if (chosen === undefined || chosen !== usual) return settings
  const all = chosen.split(',')
  if (!all.includes(fastCipher)) return settings
  return { ...settings, ciphers: [fastCipher, ...all.filter((name) => name !== fastCipher)].join(',') }
}

/** What `ssh` would offer; undefined when it cannot say. */
async function ciphersOf(settings: SshSettings, flags: readonly string[]): Promise<string | undefined> {
  const args = [...flags, ...sshArguments(settings, false), '-G', '--', settings.host]
  try {
    const { stdout } = await promisify(execFile)('ssh', args, { env: settings.context.environment, timeout: 5000 })
    return /^ciphers (.+)$/m.exec(stdout)?.[1]
  } catch {
    // Connecting will show it.
    return undefined
  }
}
