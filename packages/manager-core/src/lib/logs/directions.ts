/** Characters that change the direction of what follows, so that a text reads as another one than it is. */
const directions = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** Shows them as escapes: `\\u202E`. */
export function withVisibleDirections(text: string): string {
  return text.replaceAll(
    directions,
    (one) => `\\u${(one.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`,
  )
}
