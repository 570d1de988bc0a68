// Packs all published packages into the folder of the first argument (default `tarballs`) and prints how to install
// them. Run by `npm run pack:all`.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { publishedPackages, root } from './packages.mjs'

const folder = path.resolve(root, process.argv[2] ?? 'tarballs')
fs.rmSync(folder, { recursive: true, force: true })
fs.mkdirSync(folder, { recursive: true })
const workspaces = publishedPackages().flatMap(({ json }) => ['--workspace', json.name])
const args = ['pack', '--loglevel=error', '--pack-destination', folder, ...workspaces]
execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' })
const tarballs = path.join(folder, '*.tgz')
process.stdout.write(`In the folder of your project:

npm install ${tarballs}

For the program "manager" in every folder:

npm install --global ${tarballs} better-sqlite3
`)
