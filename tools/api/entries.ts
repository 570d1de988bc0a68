import { join } from 'node:path'
import { publishedPackages, root } from '../../scripts/packages.mjs'

/** An entry of a published package that can be imported. */
export interface Entry {
  /** Package without its scope, and the subpath after a dot: `rest-core`, `rest-core.errors`. */
  readonly name: string
  /** Absolute. */
  readonly packageFolder: string
  readonly declarations: string
  readonly source: string
}

/** All entries of all published packages, those of a package together. */
export const entries: readonly Entry[] = publishedPackages().flatMap(({ folder, json }) =>
  Object.entries(json['exports'] as Record<string, string | { types: string }>).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return []
    const packageFolder = join(root, folder)
    return {
      name: [folder.replace('packages/', ''), ...subpath.split('/').slice(1)].join('.'),
      packageFolder,
      declarations: join(packageFolder, target.types),
      source: join(packageFolder, target.types.replace('dist', 'src').replace(/\.d\.ts$/, '.ts')),
    }
  }),
)

/** As wide as the widest package: a client for browsers. */
export const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
}
