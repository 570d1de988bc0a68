import { parse } from 'csv-parse/sync'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { marked } from 'marked'
import { describe, expect, test } from 'vitest'
import type { BusinessRecord } from '../model/model.js'
import { film, fill, compile } from './film-for-test.js'
import type { PublicationFormat } from './publication.js'

/** Texts that would change a document if they were taken for a part of it. */
const nasty = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></textarea></style></script><b>',
  '{{fil_pin}} {{{fil_pin}}} ${1}',
  '"}, {"x": "y',
  String.raw`\", \\ \u0022 \n`,
  ']]> --> <!-- <![CDATA[ ?>',
  '&lt;b&gt; &amp; &#60;',
  '=1+2|cmd',
  '+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '＝1+2',
  'a,b;c\td\r\n"e"',
  '# head\n\n---\n* item\n1. one\n\n    code\n> quote',
  '[x](javascript:alert(1)) ![y](//evil) <http://evil> http://evil www.evil.com a@b.cd',
  '| a | b |\n|---|---|\n`code` **bold** _it_ ~~del~~',
  '\u2028\u2029\u0000\u0007\ufffe\u202e\ud83d\ude00',
]
const withTitle = (fil_title: string): BusinessRecord => ({ ...film, fil_title })

describe('data cannot change a document', () => {
  test.each(nasty)('HTML: %j', (title) => {
    const html = fill('<p class="{{fil_title}}" title=\'{{fil_title}}\'>{{fil_title}}</p>', 'html', withTitle(title))
    expect(html.replaceAll(/&(?:amp|lt|gt|quot|#39|#96);/g, '')).toMatch(
      /^<p class="[^<>"]*" title='[^<>']*'>[^<>]*<\/p>$/,
    )
  })

  test.each(nasty)('XML: %j', (title) => {
    const xml = fill('<a b="{{fil_title}}"><c>{{fil_title}}</c></a>', 'xml', withTitle(title))
    expect(XMLValidator.validate(xml)).toBe(true)
    const { a } = new XMLParser({ ignoreAttributes: false, trimValues: false, parseTagValue: false }).parse(xml)
    expect(Object.keys(a)).toEqual(['c', '@_b'])
    // oxlint-disable-next-line no-control-regex -- characters that XML cannot hold
    const kept = title.replaceAll(/[\u0000\u0007\ufffe]/g, '\ufffd')
    expect(a.c.replaceAll('&#39;', "'").replaceAll('&#96;', '`').replaceAll('&#13;', '\r')).toBe(kept)
  })

  test.each(nasty)('JSON: %j', (title) => {
    const text = fill(
      '{"a": "<{{fil_title}}>", "b": {{json fil_title}}, "c": {{json fil_data}} }',
      'json',
      withTitle(title),
    )
    expect(JSON.parse(text)).toEqual({ a: `<${title}>`, b: title, c: film['fil_data'] })
  })

  test.each(nasty)('CSV: %j', (title) => {
    const csv = fill('{{fil_title}},x,{{fil_year}}\r\n', 'csv', withTitle(title))
    const [[first, ...others], ...more] = parse(csv) as [string[]]
    expect([others, more]).toEqual([['x', '1979'], []])
    expect(first).toBe(/^[=+\-@\t＝]/.test(title) ? `'${title}` : title)
  })

  test.each(nasty)('Markdown: %j', async (title) => {
    const html = await marked.parse(fill('Title: {{fil_title}}\n\n{{fil_title}}\n', 'md', withTitle(title)), {
      gfm: true,
    })
    expect(html).toMatch(/^<p>[^<>]*<\/p>\n<p>[^<>]*<\/p>\n$/)
  })

  test('numbers are no formulas', () => {
    expect(fill('{{fil_year}},{{fil_cost}}', 'csv', { ...film, fil_year: -5, fil_cost: '-1.50' })).toBe('-5,-1.50')
  })

  test('links lead somewhere and do nothing else', () => {
    const link = (url: string, format: PublicationFormat): string =>
      fill(format === 'html' ? '<a href="{{fil_title}}">' : '[x]({{fil_title}})', format, withTitle(url))
    for (const url of [
      'javascript:alert(1)',
      ' jAvAscript:alert(1)',
      'java\nscript:x',
      '\u0001javascript:x',
      'data:text/html,x',
      'vbscript:x',
    ]) {
      expect(link(url, 'html')).toBe('<a href="">')
      expect(link(url, 'md')).toBe('[x]()')
    }
    expect(link('https://a.b/?x=1&y="2"', 'html')).toBe('<a href="https://a.b/?x=1&amp;y=&quot;2&quot;">')
    expect(link('/a (b)', 'md')).toBe('[x](/a%20%28b%29)')
    expect(fill('<a href="/film?t={{fil_title}}">', 'html', withTitle('javascript:x'))).toBe(
      '<a href="/film?t=javascript:x">',
    )
    expect(fill('<a href="{{#if fil_seen}}{{/if}}{{fil_title}}">', 'html', withTitle('javascript:x'))).toBe(
      '<a href="">',
    )
  })
})

describe('places where no value may stand', () => {
  const place = /in running text/
  test.each<[PublicationFormat, string, RegExp]>([
    ['html', '<script>var x = "{{fil_title}}"</script>', place],
    ['html', '<style>a { color: {{fil_title}} }</style>', place],
    ['html', '<a href={{fil_title}}>', place],
    ['html', '<{{fil_title}}>', place],
    ['html', '<a {{fil_title}}>', place],
    ['html', '<!-- {{fil_title}} -->', place],
    ['html', '<a onclick="{{fil_title}}">', /"onclick", whose text is code/],
    ['html', '<a style="color:{{fil_title}}">', /"style", whose text is code/],
    ['html', '<iframe srcdoc="{{fil_title}}">', /"srcdoc", whose text is code/],
    ['html', '{{#if fil_seen}}<a title="{{/if}}x', /must end in the same tag/],
    ['xml', '<a><![CDATA[{{fil_title}}]]></a>', place],
    ['xml', '<?xml {{fil_title}}?>', place],
    ['json', '{"a": {{fil_title}} }', /must stand between the quotes of a string, or be {{json fil_title}}/],
    ['json', '{"a": "{{json fil_title}}"}', /cannot stand between quotes/],
    ['pdf', '{"content": {{fil_title}} }', /must stand between the quotes/],
    ['csv', '"{{fil_title}}",x', /a whole cell/],
    ['csv', 'a{{fil_title}},x', /a whole cell/],
    ['csv', '{{fil_title}}a,x', /a whole cell/],
    ['csv', '{{fil_title}}{{fil_year}},x', /a whole cell/],
    ['md', '<a href="{{fil_title}}">', /not in the tags of HTML/],
    ['md', '<{{fil_title}}>', place],
  ])('%s: %s', (format, text, problem) => {
    expect(compile(text, format).problems.join()).toMatch(problem)
  })

  test.each<[PublicationFormat, string]>([
    ['html', '<script>let a = "<p>"</script><!-- > --><p title="a>b">{{fil_title}}</p>'],
    ['html', '<tr{{#if fil_seen}} class="seen"{{/if}}><td title="{{fil_title}}">{{fil_title}}</td></tr>'],
    ['xml', '<?xml version="1.0"?><!-- x --><a><![CDATA[<]]>{{fil_title}}</a>'],
    ['json', '{"a\\"": "{{fil_title}}", "n": {{json fil_year}} }'],
    ['csv', 'Title;Year\n{{fil_title}};{{fil_year}}\n{{#each fil_tags}}{{this}};{{/each}}\n'],
  ])('%s: others are free: %s', (format, text) => {
    expect(compile(text, format).problems).toEqual([])
  })
})
