import type Sharp from 'sharp'
import { RestError } from '../../errors.js'
import { Shares } from '../shares.js'
import type { Caller } from '../caller.js'

let loading: Promise<typeof Sharp> | undefined

/** sharp is loaded when the first picture is asked for. @throws Error naming the missing package */
function loadSharp(): Promise<typeof Sharp> {
  return (loading ??= import('sharp').then(
    (module) => module.default,
    (cause: unknown) => {
      loading = undefined
      throw new Error('Pictures need the package "sharp": npm install sharp', { cause })
    },
  ))
}

/**
 * Pixels of a picture beyond which it is not opened, so that a small file cannot fill the memory. JPEG and PNG are read
 * line by line, others are decoded whole: 25 million pixels take about 500 MB.
 */
const mostPixels: Readonly<Record<string, number>> = { jpeg: 100_000_000, png: 50_000_000, heif: 16_000_000 }
const mostPixelsOfOthers = 25_000_000

/** How long a picture may take. Not specified; chosen far above what photos take. */
const timeoutSeconds = 10

/**
 * Pictures that are decoded at the same time in this process, each with up to some hundred MB and a thread of those that
 * also read files and hash passwords.
 */
const places = new Shares({
  total: 2,
  perUser: 1,
  waitMs: 30_000,
  refuse: () =>
    new RestError('ERR_UNAVAILABLE', 'Too many pictures are being made. Try again.', { retryAfterSeconds: 5 }),
})

/** A picture that was made smaller. */
export interface MadePicture {
  readonly bytes: Buffer
  readonly format: 'webp' | 'jpeg' | 'png'
  readonly width: number
  readonly height: number
}

export interface PictureOptions {
  /** Longest side. */
  readonly pixels: number
  /** `portable`: JPEG of a JPEG, and PNG of everything else. */
  readonly format: 'webp' | 'portable'
  /** Who waits for it: users take turns. */
  readonly caller?: Caller | undefined
}

/**
 * Makes a picture smaller, when it is its turn.
 *
 * @param source path of a file, or its content
 * @returns undefined for what is no picture that can be read, has too many pixels, or takes too long
 * @throws RestError ERR_UNAVAILABLE when too many pictures are being made
 */
export async function shrinkPicture(
  source: string | Buffer,
  { pixels, format, caller }: PictureOptions,
): Promise<MadePicture | undefined> {
  const sharp = await loadSharp()
  const release = await places.take(caller?.user ?? '', { signal: caller?.signal })
  try {
    const { format: from } = await sharp(source).metadata()
    const limitInputPixels = mostPixels[from] ?? mostPixelsOfOthers
    const image = sharp(source, { limitInputPixels })
      .timeout({ seconds: timeoutSeconds })
      .rotate()
      .resize({ width: pixels, height: pixels, fit: 'inside', withoutEnlargement: true })
    const made = format === 'webp' ? 'webp' : from === 'jpeg' ? 'jpeg' : 'png'
    const { data, info } = await image[made]().toBuffer({ resolveWithObject: true })
    return { bytes: data, format: made, width: info.width, height: info.height }
  } catch {
    // sharp has no error classes: whatever it cannot decode is not a picture for us. Reading the file was tried before.
    return undefined
  } finally {
    release()
  }
}

/**
 * A WebP picture whose longest side is at most `pixels`.
 *
 * @param caller who waits for it: users take turns
 * @returns undefined when the file is not a picture that can be read
 * @throws RestError ERR_UNAVAILABLE when too many pictures are being made
 */
export async function makeThumbnail(file: string, pixels: number, caller?: Caller): Promise<Uint8Array | undefined> {
  return (await shrinkPicture(file, { pixels, format: 'webp', caller }))?.bytes
}
