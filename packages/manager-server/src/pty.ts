export { loadPty } from './lib/terminal/load-pty.js'
export type { Pty } from './lib/terminal/load-pty.js'
