/** `Authorization: Bearer x`, `"password":"x"`, `?token=x`, `postgres://user:x@host`: what a log may hold of secrets. */
const patterns: readonly [RegExp, string][] = [
  [/(authorization["']?\s*[:=]\s*["']?(?:basic|bearer|digest|token)\s+)[^\s"',;]+/gi, '$1***'],
  [/((?:proxy-)?authorization["']?\s*[:=]\s*["']?)(?!(?:basic|bearer|digest|token)\s)[^\s"',;]+/gi, '$1***'],
  [/(\b(?:set-)?cookie["']?\s*[:=]\s*["']?)[^"'\r\n]+/gi, '$1***'],
  [/([\w.-]*(?:password|passwd|secret|token|api[_-]?key)["']?\s*[:=]\s*)"(?:[^"\\]|\\.)*"/gi, '$1"***"'],
  [/([\w.-]*(?:password|passwd|secret|token|api[_-]?key)["']?\s*[:=]\s*)'(?:[^'\\]|\\.)*'/gi, "$1'***'"],
  [/([\w.-]*(?:password|passwd|secret|token|api[_-]?key)["']?\s*[:=]\s*)(?!["'])[^\s"',;&}]+/gi, '$1***'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/"']*:)[^\s@/"']+(@)/gi, '$1***$2'],
]

/** A line without the secrets that it may hold. */
export function redact(line: string): string {
  return patterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
}
