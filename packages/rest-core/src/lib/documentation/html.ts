import { Marked } from 'marked'
import type { ServiceDescription } from './description.js'
import { atOnce, type Steps } from '../steps.js'
import { markdownParts } from './markdown.js'
import { escapeHtml } from '../text/escape-html.js'

/** Style of the page; its hash is in the content security policy that it is sent with. */
export const pageStyle = `:root{color-scheme:light dark}
html{background:light-dark(#fff,#161616);color:light-dark(#161616,#eee)}
a{color:light-dark(#0645ad,#9cc2ff)}
body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:72rem;padding:1rem}
h1,h2,h3{line-height:1.2}
h2{border-top:1px solid;margin-top:3rem;padding-top:1rem}
code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}
td code{white-space:nowrap}
.table{overflow-x:auto}
.table:focus-visible{outline:2px solid}
table{border-collapse:collapse}
td,th{border:1px solid;padding:.25rem .5rem;text-align:start;vertical-align:top}
nav ul{columns:14rem;padding-inline-start:1.25rem}`

/** The description as a page: no scripts, nothing from elsewhere. */
export function toHtml(service: ServiceDescription): string {
  return atOnce(htmlSteps(service))
}

/** As `toHtml`, object by object. */
export function* htmlSteps(service: ServiceDescription): Steps<string> {
  const title = escapeHtml(service.title)
  let tables = 0
  const headings: { id: string; html: string }[] = []
  const marked = new Marked({
    renderer: {
      // What definitions say is escaped already; nothing of it becomes markup, whatever was forgotten.
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      link({ tokens }) {
        return this.parser.parseInline(tokens)
      },
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        if (depth !== 2) return `<h${depth}>${html}</h${depth}>\n`
        const id = `part-${headings.length + 1}`
        headings.push({ id, html })
        return `<h2 id="${id}">${html}</h2>\n`
      },
      table(token) {
        const head = token.header.map((cell) => `<th scope="col">${this.parser.parseInline(cell.tokens)}</th>`)
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`).join('')}</tr>\n`,
        )
        const label = `Table ${++tables}`
        return `<div class="table" role="region" tabindex="0" aria-label="${label}"><table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>${rows.join('')}</tbody></table></div>\n`
      },
    },
  })
  let content = ''
  for (const part of markdownParts(service)) {
    content += marked.parse(part, { async: false })
    yield
  }
  const links = headings.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<nav aria-label="Contents">
<ul>
${links}
</ul>
</nav>
<main>
${content}</main>
</body>
</html>
`
}
