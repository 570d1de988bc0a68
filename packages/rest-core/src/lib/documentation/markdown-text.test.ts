import { marked } from 'marked'
import { expect, it } from 'vitest'
import { code, plainText } from './markdown-text.js'

/** What a reader sees. */
function shown(markdown: string): string {
  const html = marked.parse(markdown, { async: false })
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'" }
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&[a-z0-9#]+;/g, (entity) => entities[entity] ?? entity)
    .trim()
}

it.each(['M\\d+', '\\', 'a|b', 'a`b', '<b>&', '\\d{3}|x', 'plain text', '^[A-Z\\\\]$'])(
  'code(%j) shows the text itself',
  (text) => {
    expect(shown(code(text)).replace(/^"(.*)"$/, '$1')).toBe(text)
    expect(shown(`| a |\n| - |\n| ${code(text)} |`)).toContain(text)
  },
)

it.each(['0.1.0', '1. first', '1) first', '- x', '# x', 'a\\b', '*a* _b_ [c](d)', '3.5'])(
  'plainText(%j) shows the text itself',
  (text) => {
    expect(shown(plainText(text))).toBe(text)
  },
)

it('a version keeps its points without backslashes', () => {
  expect([plainText('0.1.0'), plainText('1. first')]).toEqual(['0.1.0', '1\\. first'])
  expect(code('M\\d+')).toBe('`M\\d+`')
})
