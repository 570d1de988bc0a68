import { durationText, sizeText } from '../domain/readable.js'
import type { AccessSummary, Counted } from './summarise.js'

/** The summary as text for a terminal. */
export function summaryText(name: string, summary: AccessSummary): string {
  const { requests, from, to } = summary
  if (requests === 0 || from === undefined || to === undefined) return `The logs of "${name}" contain no requests.`
  return [
    `${requests} requests to "${name}" from ${from} to ${to}`,
    ...figures(summary).map(([label, value]) => `${label}: ${value}`),
    ...tables(summary).flatMap(([title, rows]) => ['', title, ...rows.map(line)]),
  ].join('\n')
}

/** The summary as one HTML file without scripts, for where GoAccess is not installed. */
export function summaryHtml(name: string, summary: AccessSummary): string {
  const rows = (counted: readonly Counted[]) =>
    counted
      .map(
        ({ name: each, requests, errors, averageMs }) =>
          `<tr><td>${escape(each)}</td><td>${requests}</td><td>${errors}</td><td>${averageMs}</td></tr>`,
      )
      .join('')
  const table = ([title, counted]: readonly [string, readonly Counted[]]) =>
    `<table><caption>${title}</caption><thead><tr><th scope="col">Name</th><th scope="col">Requests</th><th scope="col">Errors</th><th scope="col">Average ms</th></tr></thead><tbody>${rows(counted)}</tbody></table>`
  const terms = figures(summary).map(([label, value]) => `<dt>${label}</dt><dd>${escape(value)}</dd>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Requests to ${escape(name)}</title><style>${style}</style></head>
<body><h1>Requests to ${escape(name)}</h1>
<p>${summary.requests} requests${summary.from === undefined ? '' : ` from ${summary.from} to ${summary.to}`}</p>
<dl>${terms.join('')}</dl>
${tables(summary).map(table).join('\n')}
</body></html>
`
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dd{margin:0}
table{border-collapse:collapse;width:100%;margin:1.5rem 0}caption{text-align:left;font-weight:600}
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #8884;overflow-wrap:anywhere}
td:nth-child(n+2),th:nth-child(n+2){text-align:right;font-variant-numeric:tabular-nums}`

function figures({ bytes, visitors, durationMs, statuses }: AccessSummary): readonly (readonly [string, string])[] {
  const { average, p50, p95, max } = durationMs
  return [
    ['Visitors', `${visitors}`],
    ['Sent', sizeText(bytes)],
    [
      'Duration',
      `average ${durationText(average)}, half within ${durationText(p50)}, 95 % within ${durationText(p95)}, ` +
        `maximum ${durationText(max)}`,
    ],
    [
      'Statuses',
      Object.entries(statuses)
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', '),
    ],
  ]
}

function tables(summary: AccessSummary): readonly (readonly [string, readonly Counted[]])[] {
  const all = [
    ['By day (UTC)', summary.days],
    ['Paths', summary.paths],
    ['Visitors', summary.visitorsByRequests],
    ['Users', summary.users],
  ] as const
  return all.filter(([, rows]) => rows.length > 0)
}

function line({ name, requests, errors, averageMs }: Counted): string {
  const wrong = errors === 0 ? '' : `, ${errors} refused or failed`
  return `  ${String(requests).padStart(8)}  ${name} (${averageMs} ms${wrong})`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
