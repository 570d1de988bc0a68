import { inflateSync } from 'node:zlib'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'

/** The smallest Word document with these paragraphs. */
export function makeDocx(paragraphs: readonly string[]): Uint8Array {
  const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const body = paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${escape(text)}</w:t></w:r></w:p>`)
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
  const office = 'http://schemas.openxmlformats.org'
  const parts = {
    '[Content_Types].xml': `${head}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${head}<w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`,
  }
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))
}

/** The first file of a zip whose name matches. */
export function partOf(zip: Uint8Array, name: RegExp): Buffer {
  const [found] = Object.entries(unzipSync(zip)).filter(([path]) => name.test(path))
  if (!found) throw new Error(`no part ${name}`)
  return Buffer.from(found[1])
}

/** The text of a Word document, `|` between paragraphs. */
export function textOfDocx(docx: Uint8Array): string {
  const xml = strFromU8(partOf(docx, /^word\/document\.xml$/))
  const paragraphs = xml.match(/<w:p[ >].*?<\/w:p>/gs) ?? []
  const texts = paragraphs.map((paragraph) =>
    [...paragraph.matchAll(/<w:t(?: [^>]*)?>([^<]*)<\/w:t>/g)].map(([, text]) => text).join(''),
  )
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' }
  return texts.join('|').replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities[entity] as string)
}

/** Pages, pictures and text of a PDF as pdfmake writes it: glyphs of embedded fonts, with a table back to characters. */
export function textOfPdf(pdf: Uint8Array): {
  readonly pages: number
  readonly pictures: number
  readonly text: string
} {
  const source = Buffer.from(pdf).toString('latin1')
  const objects = new Map(
    [...source.matchAll(/^(\d+) 0 obj\n(.*?)^endobj/gms)].map(([, id, body]) => [id as string, body as string]),
  )
  const streamOf = (id: string): string => {
    const body = objects.get(id) ?? ''
    const [, bytes = ''] = /stream\r?\n(.*)\r?\nendstream/s.exec(body) ?? []
    return body.includes('/FlateDecode') ? inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1') : bytes
  }
  const bodies = [...objects.values()]
  const pages = bodies.filter((body) => /\/Type \/Page\b(?!s)/.test(body))
  const fonts = new Map<string, ReadonlyMap<string, string>>()
  for (const body of bodies) {
    for (const [, name, id] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, map] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id as string) ?? '') ?? []
      if (map) fonts.set(name as string, characters(streamOf(map)))
    }
  }
  let text = ''
  for (const page of pages) {
    const [, contents = ''] = /\/Contents (\d+) 0 R/.exec(page) ?? []
    let font: ReadonlyMap<string, string> | undefined
    for (const [, name, glyphs] of streamOf(contents).matchAll(/\/(F\d+) [\d.]+ Tf|\[(.*?)\] TJ/g)) {
      if (name) font = fonts.get(name)
      else
        for (const [, hex] of (glyphs as string).matchAll(/<([0-9a-f]+)>/gi))
          for (const glyph of (hex as string).match(/.{4}/g) ?? []) text += font?.get(glyph.toLowerCase()) ?? '?'
    }
    text += '\n'
  }
  return {
    pages: pages.length,
    pictures: bodies.filter((body) => body.includes('/Subtype /Image') && body.includes('/ColorSpace')).length,
    text,
  }
}

function characters(map: string): Map<string, string> {
  const found = new Map<string, string>()
  const decode = (hex: string): string => Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le')
  for (const [, from = '', , list = ''] of map.matchAll(/<([0-9a-f]+)> <([0-9a-f]+)> \[(.*?)\]/gis)) {
    for (const [at, [, hex = '']] of [...list.matchAll(/<([0-9a-f ]+)>/gi)].entries())
      found.set((Number.parseInt(from, 16) + at).toString(16).padStart(4, '0'), decode(hex))
  }
  return found
}
