const secretNames = '(?:password|passwd|secret|token|api[_-]?key)'
const schemes = '(?:basic|bearer|digest|token)'

/**
 * `Authorization: Bearer x`, `"password":"x"`, `?token=x`, `postgres://user:x@host`: what a log may hold of secrets.
 * Each takes what it found, closed or not, so that a long line costs no more than its length.
 */
const patterns: readonly RegExp[] = [
  new RegExp(`(authorization["']?\\s*[:=]\\s*["']?${schemes}\\s+)[^\\s"',;]+`, 'gi'),
  new RegExp(`(authorization["']?\\s*[:=]\\s*["']?)(?!["']|${schemes}\\s)[^\\s"',;]+`, 'gi'),
  /(\bcookie["']?\s*[:=]\s*["']?)[^"'\r\n]+/gi,
  // JSON in a text of JSON.
  new RegExp(`(${secretNames}\\\\"\\s*:\\s*\\\\")[^"\\\\]*`, 'gi'),
  new RegExp(`(${secretNames}["']?\\s*[:=]\\s*")(?:[^"\\\\]|\\\\.)*`, 'gi'),
  new RegExp(`(${secretNames}["']?\\s*[:=]\\s*')(?:[^'\\\\]|\\\\.)*`, 'gi'),
  new RegExp(`(${secretNames}["']?\\s*[:=]\\s*)(?!["'\\s])[^\\s"',;&}]+`, 'gi'),
  /(:\/\/[^\s:@/"']{0,100}:)[^\s@/"']{1,500}(?=@)/g,
]

/** A line without the secrets that it may hold: `***` instead. */
export function redact(line: string): string {
  return patterns.reduce((text, pattern) => text.replace(pattern, '$1***'), line)
}
