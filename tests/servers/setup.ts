import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { missingChromium, provideChromium } from './chromium.js'
import { ownTempFolder, removeAbandonedFolders } from './folders.js'
import { tryToInstall } from './install.js'
import { makeMariadbTemplate, startMariadb } from './mariadb.js'
import { makePostgresqlTemplate, startPostgresql } from './postgresql.js'
import { findMariadb, findPostgresql } from './programs.js'
import type { TestServer } from './server.js'
import { missingTools, packagesOfTools, provideTools, tierVariable } from './tools.js'
import { reasonVariable, urlVariable, type ServerName } from './variables.js'

const servers = [
  {
    name: 'postgresql',
    title: 'PostgreSQL',
    find: findPostgresql,
    makeTemplate: makePostgresqlTemplate,
    start: startPostgresql,
    package: 'postgresql',
  },
  {
    name: 'mysql',
    title: 'MariaDB',
    find: findMariadb,
    makeTemplate: makeMariadbTemplate,
    start: startMariadb,
    package: 'mariadb-server',
  },
] as const

/**
 * Gives the tests a private PostgreSQL and a private MariaDB and says where they are in `TEST_POSTGRESQL_URL` and
 * `TEST_MYSQL_URL`, and where Chromium is in `TEST_CHROMIUM`. A variable that the user has set is left alone. Programs
 * that are missing are installed where that is possible; otherwise the variable stays unset, tests that need it are
 * skipped, and with `CI` set the run fails, or for Chromium those tests.
 *
 * Temporary files of the tests are in one folder.
 *
 * @returns what ends the servers, and what is left in that folder.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env[tierVariable] = project.config.provide.tier
  removeAbandonedFolders()
  const wanted = servers.filter(({ name }) => !process.env[urlVariable[name]])
  const missing = wanted.filter(({ find }) => !find())
  // All at once is much faster. When a system has no package of some, the others are installed one after another below.
  const packages = [
    ...missing.map((server) => server.package),
    ...packagesOfTools(missingTools()),
    ...missingChromium(),
  ]
  if (packages.length > 1 && (await tryToInstall(packages)) === undefined) missing.length = 0
  const reason = missing.length > 0 ? await tryToInstall(missing.map((server) => server.package)) : undefined

  // On their own: a system without these packages has the others.
  await provideTools()
  await provideChromium()

  const removeTempFolder = await ownTempFolder()
  // Hundreds of processes load the same programs.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
  const running: TestServer[] = []
  const teardown = async () => {
    await Promise.all(running.map((server) => server.close()))
    removeTempFolder()
  }
  const results = await Promise.allSettled(
    wanted.map(async ({ name, title, find, makeTemplate, start }) => {
      if (!find()) return giveUp(name, `${title} is not installed and ${reason}`)
      await makeTemplate()
      const server = await start()
      running.push(server)
      process.env[urlVariable[name]] = server.url
    }),
  )
  const failure = results.find((result) => result.status === 'rejected')
  if (!failure) return teardown
  await teardown()
  throw failure.reason
}

function giveUp(name: ServerName, why: string): void {
  const reason = `${why}; set ${urlVariable[name]} to use a server of yours.`
  if (process.env.CI) throw new Error(reason)
  process.env[reasonVariable(name)] = reason
  process.stderr.write(`Tests on ${name} are skipped: ${reason}\n`)
}
