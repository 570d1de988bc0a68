import { useState } from 'preact/hooks'
import { useBlobUrl } from './use-blob-url.js'

export interface PictureViewProps {
  readonly bytes: Uint8Array<ArrayBuffer> | Blob
  readonly mime: string
  readonly alt: string
  /** Text for one that the browser cannot show. */
  readonly failed: string
}

/** A picture, drawn by the browser in a place where nothing of it can run. */
export function PictureView({ bytes, mime, alt, failed }: PictureViewProps) {
  const url = useBlobUrl(bytes, mime)
  const [size, setSize] = useState('')
  if (!url) return null
  return (
    <figure class="picture">
      <img
        src={url}
        alt={alt}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
        onError={() => setSize(failed)}
      />
      <figcaption class="quiet">{size}</figcaption>
    </figure>
  )
}
