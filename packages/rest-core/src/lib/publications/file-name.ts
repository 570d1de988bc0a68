/** Most characters of a name before its ending. Not specified; chosen to stay below the limits of file systems. */
const longest = 100

/**
 * A name that is safe on all systems: no folders, no characters that one of them refuses, and the ending of its format,
 * so that data in it cannot make it look like another kind of file.
 */
export function safeFileName(text: string, fallback: string, format: string): string {
  const ending = `.${format}`
  const bare = text.toLowerCase().endsWith(ending) ? text.slice(0, -ending.length) : text
  const clean = bare
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"*/:<>?\\|]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^[. ]+/, '')
  const short = [...clean].slice(0, longest).join('').trim()
  return `${short === '' ? fallback : short}${ending}`
}
