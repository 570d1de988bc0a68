declare module '*.css'

declare module '*.svg' {
  /** Address, relative to the script. */
  const file: string
  export default file
}
