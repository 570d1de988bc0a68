import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'

/** A built file of the page. */
export interface Asset {
  /** Holds a hash of the content, so that browsers may keep the file for ever. */
  readonly name: string
  readonly type: string
  readonly content: Buffer
  /** Entity tag. */
  readonly tag: string
}

export interface Assets {
  readonly script: Asset
  readonly style: Asset
  readonly icon: Asset
  readonly font: Asset
  readonly byName: ReadonlyMap<string, Asset>
}

let loaded: Promise<Assets> | undefined

/** The built files of the page, read once. They lie in `tester/` beside the built modules of this package. */
export function loadAssets(): Promise<Assets> {
  loaded ??= readAssets().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

const folder = new URL('./tester/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

async function readAssets(): Promise<Assets> {
  const files = (await readdir(folder)).filter((file) => extname(file) in types)
  const assets = await Promise.all(files.map(readAsset))
  const one = (extension: string, start = '') =>
    assets.find(({ name }) => name.startsWith(start) && extname(name) === extension) as Asset
  return {
    script: one('.js', 'tester-'),
    style: one('.css', 'tester-'),
    icon: one('.svg'),
    font: one('.woff2'),
    byName: new Map(assets.map((asset) => [asset.name, asset])),
  }
}

async function readAsset(file: string): Promise<Asset> {
  const content = await readFile(new URL(file, folder))
  const extension = extname(file)
  const digest = hash('sha256', content, 'base64url').slice(0, 16)
  // Others are referred to by the names that the build gave them.
  const name = file.startsWith('tester.') ? `tester-${digest}${extension}` : file
  return { name, type: types[extension] as string, content, tag: `"${digest}"` }
}
