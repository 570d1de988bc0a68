/** Compiles a `like` pattern to a test on whole texts. Takes time proportional to text × pattern at worst, whatever the pattern. */
export function compileLike(pattern: string): (text: string) => boolean {
  const parts = readPattern(pattern)
  return (text) => run(parts, [...foldCase(text)])
}

const anyRun = Symbol('%')
const anyOne = Symbol('_')
type Part = string | typeof anyRun | typeof anyOne

function readPattern(pattern: string): Part[] {
  const parts: Part[] = []
  let escaped = false
  for (const char of foldCase(pattern)) {
    if (escaped || (char !== '\\' && char !== '%' && char !== '_')) {
      parts.push(char)
      escaped = false
    } else if (char === '\\') escaped = true
    else parts.push(char === '%' ? anyRun : anyOne)
  }
  return parts
}

/** Goes back to the last `%` only, because an earlier one cannot help where the last one does not. */
function run(parts: readonly Part[], text: readonly string[]): boolean {
  let part = 0
  let at = 0
  let lastRun = -1
  let runEnd = 0
  while (at < text.length) {
    const current = parts[part]
    if (current === anyRun) {
      lastRun = part++
      runEnd = at
    } else if (current === anyOne || current === text[at]) {
      part++
      at++
    } else if (lastRun >= 0) {
      part = lastRun + 1
      at = ++runEnd
    } else {
      return false
    }
  }
  while (parts[part] === anyRun) part++
  return part === parts.length
}

/** Databases agree on A–Z only. */
function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
