/** A location without what nobody may see: `git:https://***@host/repository#main`. */
export function showLocation(location: string): string {
  return location.replace(/\/\/[^/?#]*@/, '//***@')
}
