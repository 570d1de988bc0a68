/**
 * What the manager does with files in its room `accounts/` alone: there it may be root, and others may change what is in
 * the folders meanwhile. Rules of this project, for .oxlintrc.json.
 */

import { exceptedRules } from './rooms.js'

const fileModules = new Set(['node:fs', 'node:fs/promises'])

/** @param {string} names @returns {ReadonlySet<string>} */
const namesOf = (names) => new Set(names.split(' '))

const removals = namesOf('rm rmSync rmdir rmdirSync')
const copies = namesOf('cp cpSync')
const reads = namesOf(
  'createReadStream readFile readFileSync readdir readdirSync opendir opendirSync realpath realpathSync glob globSync ' +
    'openAsBlob copyFile copyFileSync chown chownSync lchown lchownSync',
)

const paths = new Set(
  (
    'stat lstat open rename chmod lchmod utimes lutimes symlink link mkdir truncate access readlink unlink ' +
    'writeFile appendFile'
  )
    .split(' ')
    .flatMap((name) => [name, `${name}Sync`]),
)
for (const name of ['createWriteStream', 'watch', 'watchFile']) paths.add(name)

/** A rule that looks at what is imported. `check` gets the module and the name; empty: all of it, or by `import()`. */
const ruleOf = (check) => ({
  create(context) {
    const look = (node, module, name) => {
      const message = check(module, name)
      if (message !== undefined) context.report({ node, message })
    }
    return {
      ImportDeclaration(node) {
        if (node.importKind === 'type') return
        for (const each of node.specifiers) {
          if (each.importKind === 'type') continue
          look(
            each,
            node.source.value,
            each.type === 'ImportSpecifier' ? (each.imported.name ?? each.imported.value) : '',
          )
        }
      },
      ImportExpression(node) {
        if (node.source.type === 'Literal') look(node, node.source.value, '')
      },
      ExportNamedDeclaration(node) {
        if (!node.source || node.exportKind === 'type') return
        for (const each of node.specifiers) look(each, node.source.value, each.local.name)
      },
      ExportAllDeclaration(node) {
        look(node, node.source.value, '')
      },
    }
  },
})

/** Files are excepted in rooms.js, with the reason. @param name of the rule */
const excepted = (name, rule) => ({
  create: (context) => (exceptedRules(context.filename).has(name) ? {} : rule.create(context)),
})

const byName = 'Import the functions of node:fs by their names, so that they are seen.'

/** A call such as `rm(path, { recursive: true })`, and all of node:fs under one name, with which it could be written. */
const removeByRoom = {
  create(context) {
    const isRecursive = (argument) =>
      argument?.type !== 'ObjectExpression' ||
      argument.properties.some((each) => each.type !== 'Property' || each.key.name === 'recursive')
    const message =
      'Folders are removed by removeTree of accounts/, which follows no link that an instance puts in the place of a folder.'
    return {
      ImportDeclaration(node) {
        if (!fileModules.has(node.source.value) || node.importKind === 'type') return
        for (const each of node.specifiers)
          if (
            each.type !== 'ImportSpecifier' ||
            (removals.has(each.imported.name) && each.local.name !== each.imported.name)
          )
            context.report({
              node: each,
              message: byName,
            })
      },
      ImportExpression(node) {
        if (fileModules.has(node.source.value)) context.report({ node, message: byName })
      },
      ExportAllDeclaration(node) {
        if (fileModules.has(node.source.value)) context.report({ node, message: byName })
      },
      CallExpression({ callee, arguments: [first, options] }) {
        if (callee.property?.name === 'getBuiltinModule' && fileModules.has(first?.value))
          context.report({ node: callee, message: byName })
        if (callee.type !== 'Identifier' || !removals.has(callee.name)) return
        if (options !== undefined && isRecursive(options)) context.report({ node: callee, message })
      },
    }
  },
}

const rules = {
  'remove-by-room': removeByRoom,
  'copy-by-room': ruleOf((module, name) =>
    fileModules.has(module) && copies.has(name)
      ? 'Folders are copied by copyFolder of accounts/, which reads and writes as the accounts that they belong to.'
      : undefined,
  ),
  'read-by-room': ruleOf((module, name) =>
    fileModules.has(module) && reads.has(name)
      ? `${name} follows what an instance puts in the place of a file: use accounts/foreign.js, or list this file in tools/lint/rooms.js when it works with the manager's own files only.`
      : undefined,
  ),
  'path-by-room': ruleOf((module, name) =>
    fileModules.has(module) && paths.has(name)
      ? `${name} follows links that an instance puts on the way: use foreignStats, foreignKind, makeFolder, moveTo, linkTo, writeNewFile of accounts/, or list this file in tools/lint/rooms.js when it works with the manager's own files only.`
      : undefined,
  ),
  'start-by-room': ruleOf((module) =>
    module === 'node:child_process' || module === 'execa'
      ? 'Programs are started by accounts/program.js and accounts/foreign-program.js, which know as whom and for how long; list this file in tools/lint/rooms.js when it is needed elsewhere.'
      : undefined,
  ),
}

export default {
  meta: { name: 'manager' },
  rules: Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, excepted(name, rule)])),
}
