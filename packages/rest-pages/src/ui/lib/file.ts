/** A document with its name. */
export interface NamedFile {
  readonly blob: Blob
  readonly name: string
  /** Media type without parameters: `text/html`. */
  readonly mime: string
}

/** The document that an answer holds. */
export async function fileOf(answer: Response, fallback: string): Promise<NamedFile> {
  const blob = await answer.blob()
  const mime = (answer.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase()
  return { blob, name: nameOf(answer.headers.get('content-disposition')) || fallback, mime }
}

export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address))
}

/** The file name in a `Content-Disposition`. Source: RFC 6266, 4.1. */
function nameOf(header: string | null): string {
  const [, encoded, plain = ''] = /filename\*=UTF-8''([^;]+)|filename="([^"]*)"/i.exec(header ?? '') ?? []
  return encoded === undefined ? plain : decodeURIComponent(encoded)
}
