import { constants } from 'node:fs'
import { access, chmod, readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { diskFolders, surveyDisk, surveyText } from '../disk/survey-disk.js'
import type { Home } from '../domain/home.js'
import { didYouMean } from '../domain/near-miss.js'
import { hookNames, whyUnsafe } from '../hooks/hooks.js'
import { whyNotAtHome } from '../instances/home-place.js'
import { freeBytes, isDiskFull } from '../store/reserve.js'
import type { DoctorCheck, Finding } from './check.js'

/** Less is a warning: an upgrade or a save may not have the space. */
const leastFreeBytes = 512 * 2 ** 20

export const homeChecks: readonly DoctorCheck[] = [
  {
    id: 'home-place',
    category: 'home',
    title: "The manager's home is where its registry was made",
    async run(context) {
      const why = whyNotAtHome(context)
      if (why === undefined) return []
      return [
        {
          level: 'error',
          message: `${why} It can only be looked at, because its databases, accounts and processes may be the original's.`,
          help: 'If the original is no longer used, make this the home: manager doctor --adopt',
        },
      ]
    },
  },
  {
    id: 'home-writable',
    category: 'home',
    title: "The manager's home is writable",
    async run({ home }) {
      const findings: Finding[] = []
      for (const folder of [home.folder, home.instances, home.templates, home.trash]) {
        const isWritable = await access(folder, constants.W_OK | constants.X_OK).then(
          () => true,
          (error: NodeJS.ErrnoException) => error.code === 'ENOENT' && folder !== home.folder,
        )
        if (!isWritable) findings.push({ level: 'error', message: `This user cannot write to ${folder}.` })
      }
      return findings
    },
  },
  {
    id: 'file-modes',
    category: 'home',
    title: 'Files with secrets are private',
    async run({ home }) {
      const findings: Finding[] = []
      for (const file of await secretFiles(home)) {
        const { mode } = await stat(file)
        if ((mode & 0o077) === 0) continue
        findings.push({
          level: 'error',
          message: `${relative(home.folder, file)} can be read by other users (mode ${(mode & 0o777).toString(8).padStart(4, '0')}).`,
          help: 'It contains passwords. Set its mode to 0600.',
          async fix() {
            await chmod(file, 0o600)
            return 'Its mode is 0600 now.'
          },
        })
      }
      return findings
    },
  },
  {
    id: 'home-owners',
    category: 'home',
    title: "Only the manager's user can change what the manager runs and reads",
    async run({ home }) {
      const findings: Finding[] = []
      const folders = [home.folder, home.hooks, home.templates, home.instances, home.trash]
      for (const path of [...folders, ...(await secretFiles(home))]) {
        const stats = await stat(path).catch(() => undefined)
        if (!stats) continue
        const { uid, mode } = stats
        if (uid !== 0 && uid !== process.getuid?.())
          findings.push({
            level: 'error',
            message: `${path} belongs to user ${uid}, who can change what the manager does.`,
            help: `Give it to the user of the manager, after a look at what is in it: chown $(id -u) ${path}`,
          })
        if ((mode & 0o002) === 0) continue
        findings.push({
          level: 'error',
          message: `All users can change ${path}, and so what the manager does.`,
          help: 'Check what is in it, and take that right away: manager doctor home --fix',
          async fix() {
            await chmod(path, mode & 0o7775)
            return 'Only its owner and group can change it now.'
          },
        })
      }
      return findings
    },
  },
  {
    id: 'disk-space',
    category: 'home',
    title: 'There is free disk space',
    async run(context) {
      const findings: Finding[] = []
      for (const folder of diskFolders(context)) {
        if (freeBytes(folder) >= leastFreeBytes) continue
        const level = isDiskFull(folder) ? 'error' : 'warning'
        findings.push({ level, message: surveyText(await surveyDisk(context, folder)) })
      }
      return findings
    },
  },
  {
    id: 'hooks-executable',
    category: 'home',
    title: 'Hook scripts are executable',
    async run({ home }) {
      const findings: Finding[] = []
      for (const name of await namesIn(home.hooks)) {
        const file = join(home.hooks, name)
        const found = await stat(file)
        const base = name.replace(/\.sh$/, '')
        const isHook = (hookNames as readonly string[]).includes(base)
        const isExecutable = (found.mode & 0o100) !== 0
        if (!found.isFile()) continue
        if (!name.endsWith('.sh')) {
          if (isHook)
            findings.push({
              level: 'error',
              message: `hooks/${name} is not run, and its command fails. Rename it to ${name}.sh.`,
              help: `mv ${file} ${file}.sh`,
            })
          continue
        }
        if (!isHook && isExecutable)
          findings.push({
            level: 'warning',
            message: `hooks/${name} is never run, because there is no hook of this name.`,
            help: didYouMean(base, hookNames) ?? `Hooks are ${hookNames.join(', ')}.`,
          })
        const unsafe = whyUnsafe(found)
        if (unsafe !== undefined)
          findings.push({ level: 'error', message: `hooks/${name} ${unsafe}`, help: `chown and chmod 0755 ${file}` })
        if (isExecutable) continue
        findings.push({
          level: 'error',
          message: `hooks/${name} is not executable, so it is not run.`,
          async fix() {
            await chmod(file, found.mode | 0o100)
            return 'It is executable now.'
          },
        })
      }
      return findings
    },
  },
]

async function secretFiles(home: Home): Promise<readonly string[]> {
  const own = (await namesIn(home.folder)).filter(
    (name) => name === 'config.sh' || name === 'manager.db' || /^version-.*\.sh$/.test(name),
  )
  const files = own.map((name) => join(home.folder, name))
  for (const id of await namesIn(home.instances)) {
    const { settings } = home.instance(id)
    if (await stat(settings).catch(() => undefined)) files.push(settings)
  }
  return files
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => [])
}
