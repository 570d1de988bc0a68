/** Encodings of the web with the characters of sets of one byte. Source: https://dev.mysql.com/doc/refman/8.4/en/charset-charsets.html */
const encodings: Readonly<Record<string, string>> = {
  latin1: 'windows-1252',
  latin2: 'iso-8859-2',
  latin5: 'windows-1254',
  latin7: 'iso-8859-13',
  greek: 'iso-8859-7',
  cp1250: 'windows-1250',
  cp1251: 'windows-1251',
  cp1256: 'windows-1256',
  cp1257: 'windows-1257',
  cp866: 'ibm866',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
}

const beyondPlane = /[\u{10000}-\u{10FFFF}]/u

/** What is known of a column in a character set that lacks characters; nothing for sets that have all, or that are not known. */
export function lacksOf(charset: string): { readonly lacks?: (text: string) => boolean } {
  switch (charset) {
    case 'utf8':
    case 'utf8mb3':
    case 'ucs2':
      return { lacks: (text) => beyondPlane.test(text) }
    case 'ascii':
      return { lacks: (text) => /\P{ASCII}/u.test(text) }
  }
  const encoding = encodings[charset]
  if (encoding === undefined) return {}
  const known = new Set(new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)))
  return { lacks: (text) => [...text].some((character) => !known.has(character)) }
}
