import { hash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

const brandFolder = join(import.meta.dirname, 'packages/page-kit/src/brand')

/** Pages: `dist/ui` of `src/ui`. Their addresses are relative to the `<base>` that the server writes into the first page. */
export const pagesConfig = ({ installable = false }: { readonly installable?: boolean } = {}) =>
  defineConfig({
    root: 'src/ui',
    base: './',
    define: versionOf('package.json'),
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [brand(installable), compressed()],
    build: {
      outDir: '../../dist/ui',
      emptyOutDir: true,
      target: 'es2022',
      // Scripts from data addresses are forbidden by the content security policy, as are styles in elements.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // Of the packages that are in it.
      license: { fileName: 'licences.md' },
    },
  })

/** What pages show of the package that serves them. @param manifest path of its package.json */
export function versionOf(manifest: string): { readonly PACKAGE_VERSION: string } {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return { PACKAGE_VERSION: JSON.stringify(version) }
}

/** Below that a header of the encoding is longer than what it saves. */
const worthBytes = 1024

/** Puts `<file>.br` and `<file>.gz` beside each file, so that the server compresses nothing. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets')
      for (const name of readdirSync(assets).filter((one) => /\.(js|css|svg)$/.test(one))) {
        const content = readFileSync(join(assets, name))
        if (content.length < worthBytes) continue
        writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }))
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
        writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content, { params }))
      }
    },
  }
}

/**
 * Puts the mark and the font into the head of the page: its icons, and the font loaded early. The font's licence lies
 * beside the page.
 *
 * @param installable as an application on a phone or desktop
 */
function brand(installable: boolean): Plugin {
  const read = (file: string) => readFileSync(join(brandFolder, file))
  /** Under a name that changes with its content, as Vite names files. */
  const named = (file: string, content: string | Buffer) => {
    const extension = extname(file)
    return `assets/${basename(file, extension)}-${hash('sha256', content, 'base64url').slice(0, 8)}${extension}`
  }
  const icons = ['mark-180.png', 'mark-512.png'].map((file) => ({ file, name: named(file, read(file)) }))
  const manifest = JSON.stringify({
    name: 'Steward',
    short_name: 'Steward',
    start_url: '..',
    display: 'minimal-ui',
    theme_color: '#2456c8',
    background_color: '#f5f6f8',
    icons: icons.map(({ file, name }) => ({
      src: basename(name),
      type: 'image/png',
      sizes: file.replace(/^mark-(\d+)\.png$/, '$1x$1'),
      purpose: file === 'mark-512.png' ? 'any maskable' : 'any',
    })),
  })
  const manifestName = named('steward.webmanifest', manifest)
  const icon = (file: string) => `./${icons.find((one) => one.file === file)?.name}`
  return {
    name: 'brand',
    generateBundle() {
      for (const { file, name } of icons) this.emitFile({ type: 'asset', fileName: name, source: read(file) })
      if (installable) this.emitFile({ type: 'asset', fileName: manifestName, source: manifest })
      this.emitFile({ type: 'asset', fileName: 'favicon.png', source: read('mark-32.png') })
      this.emitFile({ type: 'asset', fileName: 'geist-licence.txt', source: read('geist-licence.txt') })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const built = (pattern: RegExp) => `./${Object.keys(bundle).find((name) => pattern.test(name))}`
        const font = { as: 'font', type: 'font/woff2', crossorigin: '', href: built(/\/geist-[^/]*\.woff2$/) }
        return [
          { rel: 'icon', href: built(/\/mark-(?!alert)[^/]*\.svg$/), type: 'image/svg+xml' },
          { rel: 'apple-touch-icon', href: icon('mark-180.png') },
          ...(installable ? [{ rel: 'manifest', href: `./${manifestName}`, crossorigin: 'use-credentials' }] : []),
          { rel: 'preload', ...font },
        ].map((attrs): HtmlTagDescriptor => ({ tag: 'link', attrs, injectTo: 'head' }))
      },
    },
  }
}
