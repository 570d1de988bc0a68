import { escapeHtml } from '@steward/rest-core'
import type { Level } from '../router/level.js'
import type { Assets } from './assets.js'

export interface PageContent {
  readonly title: string
  readonly level: Level
  readonly rest: string
  readonly login: string | false
  /** Address of the folder of the page's files, relative to the page; ends in `/`. */
  readonly folder: string
  readonly assets: Assets
}

/** The document around the page's script, which finds the service by the attributes of the body. */
export function pageHtml({
  title,
  level,
  rest,
  login,
  folder,
  assets: { script, style, icon, font },
}: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title === '' ? 'REST tester' : `${title} · REST tester`)}</title>
<link rel="icon" type="image/svg+xml" href="${escapeHtml(folder + icon.name)}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${escapeHtml(folder + font.name)}">
<link rel="stylesheet" href="${escapeHtml(folder + style.name)}">
<script type="module" src="${escapeHtml(folder + script.name)}"></script>
</head>
<body data-title="${escapeHtml(title)}" data-level="${level}" data-folder="${escapeHtml(folder)}" data-rest="${escapeHtml(rest)}"${
    login === false ? '' : ` data-login="${escapeHtml(login)}"`
  }>
<noscript>This page builds and sends requests with JavaScript, which is switched off.</noscript>
</body>
</html>
`
}
