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

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/>' +
  '<path d="M4 4.5 7.5 8 4 11.5M8.5 11.5H12" stroke="#fff" stroke-width="1.6" fill="none"/></svg>'

/** The document around the page's script, which finds the service by the attributes of the body. */
export function pageHtml({ title, level, rest, login, folder, assets: { script, style } }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title === '' ? 'REST tester' : `${title} · REST tester`)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
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
