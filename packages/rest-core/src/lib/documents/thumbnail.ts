import type Sharp from 'sharp'

let loading: Promise<typeof Sharp> | undefined

/** sharp is loaded when the first picture is asked for. @throws Error naming the missing package */
export function loadSharp(): Promise<typeof Sharp> {
  return (loading ??= import('sharp').then(
    (module) => module.default,
    (cause: unknown) => {
      loading = undefined
      throw new Error('Pictures need the package "sharp": npm install sharp', { cause })
    },
  ))
}

/** Pixels of a picture beyond which it is not opened, so that a small file cannot fill the memory. */
export const mostPixels = 100_000_000

/** A WebP picture whose longest side is at most `pixels`; `undefined` when the file is not a picture that can be read. */
export async function makeThumbnail(file: string, pixels: number): Promise<Uint8Array | undefined> {
  const sharp = await loadSharp()
  try {
    return await sharp(file, { limitInputPixels: mostPixels })
      .rotate()
      .resize({ width: pixels, height: pixels, fit: 'inside', withoutEnlargement: true })
      .webp()
      .toBuffer()
  } catch {
    // sharp has no error classes: whatever it cannot decode is not a picture for us. Reading the file was tried before.
    return undefined
  }
}
