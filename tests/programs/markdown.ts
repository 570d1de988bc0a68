import { existsSync, readFileSync } from 'node:fs'

/** Fenced code blocks of a language (`sh`, `ts`, `yaml` …) in a Markdown file, in their order. */
export function codeBlocks(file: URL, language: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^```([a-z]*)\n(.*?)^```$/gms)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  )
}

/** Cells of the rows of the tables below a heading, backticks taken off. */
export function tableRows(file: URL, heading: string): string[][] {
  const [, section = ''] = readFileSync(file, 'utf8').split(new RegExp(`^#+ ${heading}$`, 'm'))
  const [own = ''] = section.split(/^#/m)
  return own
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[ :|-]+$/.test(line))
    .slice(1)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) =>
          cell
            .trim()
            .replace(/^`(.*)`$/, '$1')
            .replaceAll('\\|', '|'),
        ),
    )
}

/** Relative links of a Markdown file that lead to no file, or to no heading in it, each with its file. */
export function brokenLinks(file: URL): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^```.*?^```$/gms, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const target = new URL(link, file)
    const heading = target.hash.slice(1)
    if (existsSync(new URL(target.pathname, target)) && (heading === '' || anchorsOf(target).includes(heading)))
      return []
    return [`${file.pathname}: ${link}`]
  })
}

function anchorsOf({ pathname }: URL): string[] {
  const text = readFileSync(pathname, 'utf8')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
