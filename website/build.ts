// Builds the site into `website/dist`, or with `--serve` shows it while it is written.
// SITE_BASE is the path below which it will be served, for example `/steward/`; default `/`.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, createServer, type DefaultTheme, type UserConfig } from 'vitepress'
import { publishedPackages, repository, root } from '../scripts/packages.mjs'
import { compose } from './compose.ts'
import { groups, pathOf } from './pages.ts'

const here = import.meta.dirname
const source = join(here, '.site')

compose(source)
cpSync(join(here, 'public'), join(source, 'public'), { recursive: true })
cpSync(join(root, 'packages/page-kit/src/brand/mark.svg'), join(source, 'public/mark.svg'))
cpSync(join(here, 'theme'), join(source, '.vitepress/theme'), { recursive: true })
cpSync(join(here, 'index.md'), join(source, 'index.md'))

const config: UserConfig<DefaultTheme.Config> = {
  title: 'Steward',
  description: 'REST services for business objects, and a manager for many instances of them',
  base: process.env['SITE_BASE'] || '/',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  // Those of the theme have too little contrast.
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  outDir: join(here, 'dist'),
  cacheDir: join(here, '.cache'),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env['SITE_BASE'] || '/'}mark.svg` }]],
  themeConfig: {
    logo: '/mark.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'REST API', link: '/rest-api' },
      { text: 'Manager', link: '/manager' },
      { text: 'Plug-ins', link: '/writing-plugins' },
      // Made by another program: the router of the site must not look for it.
      { text: 'TypeScript', link: '/reference/index.html', target: '_self' },
    ],
    sidebar: groups.map(({ text, files }) => ({
      text,
      items: files.map((file) => ({ text: titleOf(file), link: `/${pathOf(file)}` })),
    })),
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: `Steward ${publishedPackages()[0]?.json['version']}` },
  },
}
// VitePress reads its configuration from a file. The front page of its theme has no main landmark.
const landmark = `(html) => html.replace('<div class="VPHome"', '<div role="main" class="VPHome"')`
// Only addresses with a scheme become links: `.md` is also a top-level domain.
const plainNames = '(md) => md.linkify.set({ fuzzyLink: false, fuzzyEmail: false })'
writeFileSync(
  join(source, '.vitepress/config.mjs'),
  `const config = ${JSON.stringify(config)}
config.markdown.config = ${plainNames}
export default { ...config, transformHtml: ${landmark} }
`,
)

if (process.argv.includes('--serve')) {
  const server = await createServer(source)
  await server.listen()
  server.printUrls()
} else await build(source)

/** The first heading. */
function titleOf(file: string): string {
  const [, title = file] = /^# (.*)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? []
  return title.replaceAll('`', '')
}
