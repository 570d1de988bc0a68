import { useState } from 'preact/hooks'
import { useBlobUrl } from './use-blob-url.js'

/** A picture, drawn by the browser in a place where nothing of it can run. */
export function PictureView(props: { bytes: Uint8Array<ArrayBuffer> | Blob; mime: string; alt?: string }) {
  const { bytes, mime, alt = 'The picture of the answer' } = props
  const url = useBlobUrl(bytes, mime)
  const [size, setSize] = useState('')
  if (!url) return null
  return (
    <figure class="picture">
      <img
        src={url}
        alt={alt}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
        onError={() => setSize('The browser cannot show it.')}
      />
      <figcaption class="muted">{size}</figcaption>
    </figure>
  )
}
