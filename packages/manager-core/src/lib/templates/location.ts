/** A location without its secrets: `git:https://***@host/repository#main`. */
export function showLocation(location: string): string {
  return location.replace(/\/\/[^/?#]*@/, '//***@')
}
