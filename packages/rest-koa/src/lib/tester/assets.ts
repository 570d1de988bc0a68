import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** A built file of the page. */
export interface Asset {
  /** Holds a hash of the content, so that browsers may keep the file for ever. */
  readonly name: string
  readonly type: string
  readonly content: string
  /** Entity tag. */
  readonly tag: string
}

export interface Assets {
  readonly script: Asset
  readonly style: Asset
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

async function readAssets(): Promise<Assets> {
  const [script, style] = await Promise.all([
    readAsset('tester.js', 'text/javascript; charset=utf-8'),
    readAsset('tester.css', 'text/css; charset=utf-8'),
  ])
  return { script, style, byName: new Map([script, style].map((asset) => [asset.name, asset])) }
}

async function readAsset(file: string, type: string): Promise<Asset> {
  const content = await readFile(new URL(`./tester/${file}`, import.meta.url), 'utf8')
  const digest = hash('sha256', content, 'base64url').slice(0, 16)
  return { name: file.replace('.', `-${digest}.`), type, content, tag: `"${digest}"` }
}
