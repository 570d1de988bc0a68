export { loadPty } from './lib/terminal/load-pty.js'
export type { Pty, PtyOptions, PtyProcess } from './lib/terminal/load-pty.js'
