import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// The private servers of the tests, and what they use, are written for a bundler's resolution (`./x.js` is `./x.ts`); Node takes
// names literally.
registerHooks({
  resolve(specifier, context, next) {
    const isOurs =
      specifier.startsWith('.') && specifier.endsWith('.js') && !context.parentURL?.includes('/node_modules/')
    const source = isOurs ? new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL) : undefined
    return next(source && existsSync(fileURLToPath(source)) ? source.href : specifier, context)
  },
})

const folder = '../../tests/servers'

export const { startPostgresql } = (await import(
  `${folder}/postgresql.ts`
)) as typeof import('../../tests/servers/postgresql.js')
export const { startMariadb } = (await import(
  `${folder}/mariadb.ts`
)) as typeof import('../../tests/servers/mariadb.js')
export const { startNginx } = (await import(`${folder}/nginx.ts`)) as typeof import('../../tests/servers/nginx.js')
export const { findMariadb, findPostgresql, hasCommand } = (await import(
  `${folder}/programs.ts`
)) as typeof import('../../tests/servers/programs.js')
export const { makeFolder, removeAbandonedFolders } = (await import(
  `${folder}/folders.ts`
)) as typeof import('../../tests/servers/folders.js')
export const { tryToInstall } = (await import(
  `${folder}/install.ts`
)) as typeof import('../../tests/servers/install.js')
