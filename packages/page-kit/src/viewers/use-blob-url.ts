import { useEffect, useState } from 'preact/hooks'

/** An address of bytes within this page, as long as they are shown. */
export function useBlobUrl(bytes: Uint8Array<ArrayBuffer> | Blob, mime: string): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes], { type: mime }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, mime])
  return url
}
